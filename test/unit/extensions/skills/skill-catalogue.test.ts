import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {defaultToolSources, enabledTools} from '../../../../src/actions/decode-action.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {findMatchingSkills, skillCatalogue} from '../../../../src/extensions/skills/skill-catalogue.ts';

const words =
  'Reads and writes spreadsheets, makes charts of them, and checks formulas. Use it whenever a table is asked for. ';
const skills = (count: number) =>
  Array.from({length: count}, (_, at) => ({name: `skill-number-${at}`, description: words.repeat(3)}));

/** The bytes that the tool takes in a request. */
function bytesFor(count: number): number {
  const catalogue = skillCatalogue(skills(count));
  const tool = enabledTools({...defaultToolSources, skills: catalogue}).find(({name}) => name === 'Skill');
  if (tool === undefined) return 0;
  const {name, description} = tool;
  return Buffer.byteLength(JSON.stringify({name, description, input_schema: tool.jsonSchema()}));
}

test('no skills take no byte, twenty less than 1.5 kB, and any number less than 4 kB', () => {
  expect(skillCatalogue([])).toBe(undefined);
  expect([0, 1, 20, 100, 200, 2000].map(count => [count, bytesFor(count)])).toEqual([
    [0, 0],
    [1, expect.toSatisfy((bytes: number) => bytes < 550)],
    [20, expect.toSatisfy((bytes: number) => bytes < 1500)],
    [100, expect.toSatisfy((bytes: number) => bytes < 4000)],
    [200, expect.toSatisfy((bytes: number) => bytes < 4000)],
    [2000, expect.toSatisfy((bytes: number) => bytes < 4000)],
  ]);
});

test('short descriptions stand whole, long ones end behind a word', () => {
  const few = skillCatalogue([
    {name: 'a', description: 'Does this.'},
    {name: 'b', description: words.repeat(4)},
  ]);
  expect(few?.names).toEqual(['a', 'b']);
  expect(few?.lines.split('\n')[0]).toBe('- a: Does this.');
  expect(few?.lines).toMatch(/\w…$/u);
});

test('every name is a choice as long as all fit; then descriptions are of the first ones', () => {
  const many = skillCatalogue(skills(100));
  expect(many?.names).toEqual(skills(100).map(({name}) => name));
  expect(many?.lines.split('\n')[0]).toBe('- skill-number-0: Reads and writes spreadsheets, makes…');
});

test('where not all names fit, any name may be asked for, and a note says how to find the others', () => {
  const many = skillCatalogue(skills(1000));
  expect(many?.names).toBe('any');
  const lines = many?.lines.split('\n') ?? [];
  expect(lines.slice(0, -1)).toEqual(skills(lines.length - 1).map(({name}) => name));
  expect(lines.at(-1)).toBe(
    `…and ${1001 - lines.length} more: call this with a word of what you need as the name, and you get those that match.`,
  );
});

test('a name that is none finds the skills that speak of it', () => {
  const some = [
    {name: 'pdf', description: 'Reads documents'},
    {name: 'charts', description: 'Draws charts of tables'},
    {name: 'tables', description: 'Reads tables'},
  ];
  expect(findMatchingSkills('read tables', some)).toBe(
    '- tables: Reads tables\n- pdf: Reads documents\n- charts: Draws charts of tables',
  );
  expect(findMatchingSkills('-', some)).toBe('');
});

test('whatever people write, its size is bounded', () => {
  // Each takes another number of bytes in JSON.
  const unit = fc.constantFrom('a', ' ', '"', 'ä', '\0', '\uD800', '😀');
  const skill = fc.record({
    name: fc.string({unit, maxLength: 16}),
    description: fc
      .tuple(fc.string({unit, maxLength: 8}), fc.nat({max: 40}))
      .map(([text, times]) => text.repeat(times)),
  });
  fc.assert(
    fc.property(fc.array(skill, {maxLength: 40}), list => {
      const catalogue = skillCatalogue(list.flatMap(one => [one, one, one, one]));
      const size = catalogue === undefined ? 0 : Buffer.byteLength(JSON.stringify(catalogue));
      expect(size).toBeLessThan(3800);
    }),
    {numRuns: randomInputs(100)},
  );
});
