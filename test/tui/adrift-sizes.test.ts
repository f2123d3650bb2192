import * as fc from 'fast-check';
import {afterEach, expect, test} from 'vitest';
import {begin, finishedText, leaveStages, start} from './support/stage.ts';
import {delta, finished} from './support/events.ts';

afterEach(leaveStages);

type Size = readonly [columns: number, rows: number];

interface Story {
  readonly first: Size;
  readonly sizes: readonly Size[];
  /** The words of the paragraphs that are finished, and of the lines that the agent is writing. */
  readonly done: readonly number[];
  readonly open: readonly number[];
  readonly draft: number;
}

const linesOf = (name: string, lengths: readonly number[]): readonly string[] =>
  lengths.map((words, at) => `${name}${at}: ${'word '.repeat(words)}end${at}.`);

/** Goes through the sizes while a text is written. Returns the first and last words of the lines in the terminal, and those that belong there. */
async function playedOut({first, sizes, done, open, draft}: Story) {
  const {screen, engine} = await start(first);
  // The attributes by which xterm.js is known (DA2).
  await screen.type('\u001B[>0;276;0c');
  const written = [...linesOf('done', done), 'Done.', ...linesOf('open', open), 'more0: end0.'];
  engine.emit(...begin, delta(written.slice(0, done.length + 1).join('\n\n')), finishedText, finished({kind: 'done'}));
  await screen.until(/Done\.[^]*Ask weft to do/u);
  engine.emit(...begin, delta(written.slice(done.length + 1, -1).join('\n')));
  await screen.type('draft '.repeat(draft));
  await screen.until(/Writing[^]*› draft/u);
  screen.answer();
  for (const [columns, rows] of sizes) {
    screen.resize(columns, rows);
    await screen.until(new RegExp(`(?<!─)─{${columns - 1}}\\n[^─]*$`, 'u'));
  }
  engine.emit(delta('\n\nmore0: end0.'), finishedText, finished({kind: 'done'}));
  await screen.until(/more0: end0\.[^]*(?<!─)─+\n[^─]*$/u);
  const all = (await screen.everything()).join('').replaceAll(/\s+/gu, '');
  await leaveStages();
  const ends = /(?:done|open|more)\d+:|end\d+\./gu;
  return {found: all.match(ends), expected: written.join('').match(ends)};
}

test.each<Story>([
  {
    first: [86, 13],
    sizes: [
      [33, 20],
      [101, 13],
    ],
    done: [16, 0, 28],
    open: [3, 5, 1],
    draft: 1,
  },
  {
    first: [31, 26],
    sizes: [
      [83, 28],
      [107, 14],
      [39, 11],
    ],
    done: [0, 4, 26, 24, 13, 16, 19],
    open: [27, 14, 26, 4, 18, 16, 4, 21, 16, 22],
    draft: 16,
  },
  // The lines that the agent is writing have more rows than the screen.
  {
    first: [108, 12],
    sizes: [
      [61, 26],
      [70, 18],
    ],
    done: [],
    open: [22, 30, 30, 24],
    draft: 1,
  },
])('xterm.js at $first and then $sizes has each line once', async story => {
  const {found, expected} = await playedOut(story);
  expect(found).toEqual(expected);
});

test.each([
  ['whatever its sizes', {rows: {min: 16, max: 34}, open: 6, words: 30}],
  ['on low screens for a text of more rows', {rows: {min: 12, max: 15}, open: 4, words: 60}],
] as const)(
  'xterm.js has each line once while a text is written, %s',
  {tags: 'long', timeout: 120_000},
  async (_title, most) => {
    const size = fc.tuple(fc.integer({min: 30, max: 120}), fc.integer(most.rows));
    const words = fc.integer({min: 0, max: 30});
    const story = fc.record({
      first: size,
      sizes: fc.array(size, {minLength: 1, maxLength: 2}),
      done: fc.array(words, {maxLength: 20}),
      open: fc.array(fc.integer({min: 0, max: most.words}), {minLength: 1, maxLength: most.open}),
      draft: fc.integer({min: 1, max: 10}),
    });
    await fc.assert(
      fc.asyncProperty(story, async told => {
        const {found, expected} = await playedOut(told);
        expect(found).toEqual(expected);
      }),
      {numRuns: 25},
    );
  },
);
