import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {noopMcp} from '../../../../src/actions/mcp-port.ts';
import {ok} from '../../../../src/base/outcome.ts';
import {truncateText, saveLongAnswers} from '../../../../src/workspace/files/long-texts.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {TempPlace} from '../../../support/run-weft.ts';

const image = {kind: 'image', mediaType: 'image/png', data: 'AA'} as const;
const textBlock = (text: string) => ({kind: 'text', text}) as const;

test('the beginning of a text is a part of it, never longer than wanted, and never half a character', () => {
  fc.assert(
    fc.property(fc.string({unit: 'binary', maxLength: 60}), fc.integer({min: 0, max: 40}), (text, most) => {
      const beginning = truncateText(text, most);
      expect(text.startsWith(beginning)).toBe(true);
      expect(beginning.length).toBeLessThanOrEqual(most);
      expect(beginning.isWellFormed()).toBe(text.isWellFormed() || beginning.isWellFormed());
    }),
    {numRuns: randomInputs(2000)},
  );
});

test('a long answer of a server is kept whole in a file, and says where', async () => {
  using place = new TempPlace();
  const file = join(place.work, 'answer.txt');
  const lines = Array.from({length: 5000}, (_, at) => `line ${at} of the answer`).join('\n');
  const mcp = saveLongAnswers(
    {...noopMcp, readResource: async () => ok({blocks: [textBlock('First.'), image, textBlock(lines)]})},
    () => file,
  );
  const read = await mcp.readResource({server: 's', uri: 'x:y'}, new AbortController().signal);
  const blocks = read.tag === 'ok' ? read.value.blocks : [];
  expect(blocks.map(({kind}) => kind)).toEqual(['text', 'image', 'text', 'text']);
  const [, , shown, note] = blocks.map(block => (block.kind === 'text' ? block.text : ''));
  expect(lines.startsWith(`${shown}\n`)).toBe(true);
  expect(note).toBe(
    `[the first ${6 + (shown?.length ?? 0)} of ${7 + lines.length} characters; all of it is in ${file}: Read it with offset and limit]`,
  );
  expect(readFileSync(file, 'utf8')).toBe(`First.\n${lines}`);
});

test('a disk that does not take it costs the rest and nothing else; a short answer stays as it is', async () => {
  const answers = [ok({blocks: [textBlock('x'.repeat(40_000))]}), ok({blocks: [textBlock('short')]})];
  const mcp = saveLongAnswers({...noopMcp, readResource: async () => answers.shift() ?? ok({blocks: []})}, () => {
    throw new Error('No space left');
  });
  const read = () => mcp.readResource({server: 's', uri: 'x:y'}, new AbortController().signal);
  expect(await read()).toEqual(
    ok({
      blocks: [
        textBlock('x'.repeat(30_000)),
        textBlock('[the first 30000 of 40000 characters; the rest could not be kept]'),
      ],
    }),
  );
  expect(await read()).toEqual(ok({blocks: [textBlock('short')]}));
});
