import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {diffHunks, type TextDiff} from '../../../../src/workspace/files/diff-hunks.ts';
import {processorClock} from '../../../support/processor-clock.ts';

const all = Number.POSITIVE_INFINITY;

/** Puts the hunks on the old text's lines. */
function patched(before: string, change: TextDiff): readonly string[] {
  const old = linesOf(before);
  const fresh: string[] = [];
  let at = 0;
  for (const hunk of change.hunks) {
    while (at < hunk.oldStart - 1) fresh.push(old[at++] ?? '');
    for (const line of hunk.lines) {
      if (line.kind !== 'added') expect(old[at++]).toBe(line.text);
      if (line.kind !== 'removed') fresh.push(line.text);
    }
  }
  return [...fresh, ...old.slice(at)];
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

test('the hunks lead from one text to the other', async () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), {maxLength: 25})
    .map(lines => lines.map(line => `${line}\n`).join(''));
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      expect(patched(before, await diffHunks(before, after, all))).toEqual(linesOf(after));
    }),
  );
});

test('texts too large or too different to match line by line come as one hunk, soon', {tags: 'long'}, async () => {
  const before = `same\n${numbered('old', 100_000)}end\n`;
  const after = `same\n${numbered('new', 100_000)}end\n`;
  const spentMs = processorClock();
  const change = await diffHunks(before, after, all);
  expect(spentMs()).toBeLessThan(2000);
  expect({hunks: change.hunks.length, added: change.added, removed: change.removed}).toEqual({
    hunks: 1,
    added: 100_000,
    removed: 100_000,
  });
  expect(patched(before, change)).toEqual(linesOf(after));
});

const numbered = (from: string, count: number): string =>
  Array.from({length: count}, (_, at) => `${from} ${at}\n`).join('');

/** The changed words of a diff, each line as its sign and what is marked of it. */
async function marked(before: string, after: string): Promise<readonly string[]> {
  const {hunks} = await diffHunks(before, after, all);
  return hunks.flatMap(({lines}) =>
    lines
      .filter(({kind}) => kind !== 'context')
      .map(({kind, text, changed}) => [kind, ...changed.map(({from, to}) => text.slice(from, to))].join(' ')),
  );
}

describe('words that changed', () => {
  test.each([
    ['a word', 'if (item.count > limit) {\n', 'if (item.count >= limit) {\n', ['removed', 'added =']],
    ['a name', 'const total = sum(items);\n', 'const amount = sum(items);\n', ['removed total', 'added amount']],
    ['indentation', '  return total;\n', '    return total;\n', ['removed   ', 'added     ']],
    ['nothing alike', 'alpha beta\n', 'something(else, now)\n', ['removed', 'added']],
    ['only added', 'a\n', 'a\nb\n', ['added']],
    [
      'combining marks stay whole',
      'x = cafe\u0301 one\n',
      'x = cafe\u0302 one\n',
      ['removed cafe\u0301', 'added cafe\u0302'],
    ],
    [
      'the line that is alike, not the one in the same place',
      'value = compute(first, second)\n',
      'check(first)\nvalue = compute(first, third)\n',
      ['removed second', 'added', 'added third'],
    ],
  ])('%s', {tags: 'long'}, async (_name, before, after, expected) => {
    expect(await marked(before, after)).toEqual(expected);
  });

  test('long lines and long runs are bounded in time', async () => {
    const start = process.cpuUsage();
    await diffHunks(words(3), words(5), all);
    await diffHunks(`${words(3).replaceAll(' ', '\n')}\n`, `${words(5).replaceAll(' ', '\n')}\n`, all);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
  });
});

const words = (seed: number): string => Array.from({length: 40_000}, (_, at) => `w${(at * seed) % 977}`).join(' ');
