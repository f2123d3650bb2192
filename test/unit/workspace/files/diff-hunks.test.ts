import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {diffHunks, type FileChange} from '../../../../src/workspace/files/diff-hunks.ts';

/** Puts the hunks on the old text's lines. */
function patched(before: string, change: FileChange): readonly string[] {
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
      expect(patched(before, await diffHunks(before, after))).toEqual(linesOf(after));
    }),
  );
});

test('texts too large or too different to match line by line come as one hunk, soon', async () => {
  const before = `same\n${numbered('old', 100_000)}end\n`;
  const after = `same\n${numbered('new', 100_000)}end\n`;
  const start = performance.now();
  const change = await diffHunks(before, after);
  expect(performance.now() - start).toBeLessThan(2000);
  expect({hunks: change.hunks.length, added: change.added, removed: change.removed}).toEqual({
    hunks: 1,
    added: 100_000,
    removed: 100_000,
  });
  expect(patched(before, change)).toEqual(linesOf(after));
});

const numbered = (from: string, count: number): string =>
  Array.from({length: count}, (_, at) => `${from} ${at}\n`).join('');
