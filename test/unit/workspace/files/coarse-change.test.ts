import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {coarseChange} from '../../../../src/workspace/files/diff-hunks.ts';

const all = Number.POSITIVE_INFINITY;

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

const as = (kind: string, texts: readonly string[]) => texts.map(text => ({kind, text, changed: []}));

/** The same worked out with lists of all lines. */
function expected(before: string, after: string, context: number) {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  const start = Math.max(0, head - context);
  const removed = old.slice(head, old.length - tail);
  const added = fresh.slice(head, fresh.length - tail);
  const lines = [
    ...as('context', old.slice(start, head)),
    ...as('removed', removed),
    ...as('added', added),
    ...as('context', old.slice(old.length - tail, old.length - tail + context)),
  ];
  return {added: added.length, removed: removed.length, hunk: {oldStart: start + 1, newStart: start + 1, lines}};
}

test('the hunk is all from the first line that differs to the last, with the lines around it', () => {
  const text = fc
    .tuple(fc.array(fc.constantFrom('a', 'b', 'ab', ''), {maxLength: 12}), fc.constantFrom('', '\n'))
    .map(([lines, end]) => lines.join('\n') + end);
  fc.assert(
    fc.property(text, text, fc.nat({max: 3}), (before, after, context) => {
      expect(coarseChange(before, after, {context, maxShown: all})).toEqual(expected(before, after, context));
    }),
    {numRuns: 3000},
  );
});

test('more lines than are to be shown are counted, and nothing stands after those that are', () => {
  const before = 'x\n1\n2\n3\n4\ny\n';
  const after = 'x\n5\n6\n7\ny\n';
  expect(coarseChange(before, after, {context: 3, maxShown: 2})).toEqual({
    added: 3,
    removed: 4,
    hunk: {
      oldStart: 1,
      newStart: 1,
      lines: [
        {kind: 'context', text: 'x', changed: []},
        {kind: 'removed', text: '1', changed: []},
        {kind: 'removed', text: '2', changed: []},
        {kind: 'added', text: '5', changed: []},
        {kind: 'added', text: '6', changed: []},
      ],
    },
  });
});
