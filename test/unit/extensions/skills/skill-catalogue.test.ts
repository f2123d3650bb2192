import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {catalogueOnly, enabledTools} from '../../../../src/actions/decode-action.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {skillCatalogue} from '../../../../src/extensions/skills/skill-catalogue.ts';

const words =
  'Reads and writes spreadsheets, makes charts of them, and checks formulas. Use it whenever a table is asked for. ';
const skills = (count: number) =>
  Array.from({length: count}, (_, at) => ({name: `skill-number-${at}`, description: words.repeat(3)}));

/** The bytes that the tool takes in a request. */
function bytesFor(count: number): number {
  const {catalogue} = skillCatalogue(skills(count));
  const tool = enabledTools({...catalogueOnly, skills: catalogue}).find(({name}) => name === 'Skill');
  if (tool === undefined) return 0;
  const {name, description} = tool;
  return Buffer.byteLength(JSON.stringify({name, description, input_schema: tool.jsonSchema()}));
}

test('no skills take no byte, twenty less than 1.5 kB, and any number a bounded size', () => {
  expect(skillCatalogue([])).toEqual({catalogue: undefined, leftOut: []});
  expect(bytesFor(0)).toBe(0);
  expect(bytesFor(1)).toBeLessThan(550);
  expect(bytesFor(20)).toBeLessThan(1500);
  expect(bytesFor(2000)).toBeLessThan(7000);
});

test('short descriptions stand whole; what does not fit is named', () => {
  const few = skillCatalogue([
    {name: 'a', description: 'Does this.'},
    {name: 'b', description: words.repeat(4)},
  ]);
  expect(few.catalogue?.lines.split('\n')[0]).toBe('- a: Does this.');
  expect(few.catalogue?.lines).toMatch(/…$/u);
  const many = skillCatalogue(skills(1000));
  expect((many.catalogue?.names.length ?? 0) + many.leftOut.length).toBe(1000);
});

test('whatever people write, its size is bounded', () => {
  const skill = fc.record({
    name: fc.string({maxLength: 64}),
    description: fc.string({unit: 'binary', maxLength: 300}),
  });
  fc.assert(
    fc.property(fc.array(skill, {maxLength: 30}), list => {
      const {catalogue} = skillCatalogue(list);
      const size = catalogue === undefined ? 0 : Buffer.byteLength(JSON.stringify(catalogue));
      expect(size).toBeLessThan(6200);
    }),
    {numRuns: randomInputs(100)},
  );
});
