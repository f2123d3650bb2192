import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {PatchHunk, PatchLine} from '../../../../src/domain/file-edit.ts';
import {applyHunks} from '../../../../src/workspace/files/apply-hunks.ts';

const kinds = {' ': 'context', '-': 'removed', '+': 'added'} as const;

function hunk(context: readonly string[], ...lines: readonly `${' ' | '-' | '+'}${string}`[]): PatchHunk {
  return {
    context,
    place: 'anywhere',
    lines: lines.map((line): PatchLine => {
      const [sign] = line;
      return {kind: sign === '-' || sign === '+' ? kinds[sign] : 'context', text: line.slice(1)};
    }),
  };
}

const patched = (text: string, ...hunks: readonly PatchHunk[]) => {
  const done = applyHunks(text, hunks, 'quotes');
  return done.tag === 'ok' ? done.value.text : done.error;
};

describe('patchText', () => {
  test.each<[string, string, readonly PatchHunk[], string]>([
    ['a line', 'a\nb\nc\n', [hunk([], ' a', '-b', '+B', ' c')], 'a\nB\nc\n'],
    ['hunks in order', 'a\nb\na\nb\n', [hunk([], '-a', '-b', '-a', '+1'), hunk([], '-b', '+2')], '1\n2\n'],
    [
      'context of the first is context of the second',
      'a\nb\nc\nd\n',
      [hunk([], '-a', '+A', ' b', ' c'), hunk([], ' b', ' c', '-d')],
      'A\nb\nc\n',
    ],
    [
      'the one behind its context',
      'class A\n  f\nclass B\n  f\n',
      [hunk(['class B'], '-  f', '+  g')],
      'class A\n  f\nclass B\n  g\n',
    ],
    [
      'the first one behind its context',
      'class A\n  f\nclass B\n  f\n',
      [hunk(['class A'], '-  f', '+  g')],
      'class A\n  g\nclass B\n  f\n',
    ],
    [
      'context that is the beginning of a line',
      'function f(a) {\n  x\n}\n',
      [hunk(['function f'], '-  x', '+  y')],
      'function f(a) {\n  y\n}\n',
    ],
    ['nested context', 'A\n m\n x\nB\n m\n x\n', [hunk(['B', ' m'], '- x', '+ y')], 'A\n m\n x\nB\n m\n y\n'],
    ['an insertion behind its context', 'a\nb\n', [hunk(['a'], '+x')], 'a\nx\nb\n'],
    ['an insertion without context is at the end', 'a\nb', [hunk([], '+x')], 'a\nb\nx'],
    ['the end without a line end', 'a\nb', [hunk([], ' a', '-b', '+c')], 'a\nc'],
    ['the last line goes', 'a\nb', [hunk([], ' a', '-b')], 'a\n'],
    ['the last lines go, CRLF', 'a\r\nb\r\nc', [hunk([], '-b', '-c')], 'a\r\n'],
    ['CRLF', 'a\r\nb\r\nc', [hunk([], ' a', '-b', '+x', '+y', ' c')], 'a\r\nx\r\ny\r\nc'],
    [
      'another indentation',
      '\tif (a) {\n\t\tb();\n\t}\n',
      [hunk([], ' if (a) {', '-  b();', '+  c();', ' }')],
      '\tif (a) {\n\t\tc();\n\t}\n',
    ],
    ['an empty file', '', [hunk([], '+x')], 'x\n'],
  ])('%s', (_name, text, hunks, expected) => {
    expect(patched(text, ...hunks)).toBe(expected);
  });

  test.each<[string, string, readonly PatchHunk[], RegExp]>([
    ['no place', 'a\n', [hunk([], '-b')], /was not found/u],
    ['several places', 'a\nb\na\nb\n', [hunk([], '-a', '+c')], /occurs 2 times \(lines 1, 3\); add lines of context/u],
    ['no context', 'a\n', [hunk(['class X'], '-a')], /its context "class X" was not found/u],
    [
      'another order',
      'a\nb\n',
      [hunk([], '-b', '+B'), hunk([], '-a', '+A')],
      /change 2 of 2: .* in the order of the file/u,
    ],
    ['not at the end', 'a\nb\n', [{...hunk([], '-a'), place: 'end-of-file'}], /at the end of the file/u],
    ['part of a line', 'abc\n', [hunk([], '-b')], /was not found/u],
  ])('refused: %s', (_name, text, hunks, message) => {
    const told = patched(text, ...hunks);
    expect(Array.isArray(told) ? told.join('\n') : told).toMatch(message);
  });

  test('a patch made from two texts leads from the one to the other, and back', () => {
    const unique = fc.uniqueArray(fc.integer({min: 0, max: 60}), {minLength: 1, maxLength: 25});
    const keep = fc.array(fc.constantFrom('keep', 'drop', 'add'), {minLength: 25, maxLength: 25});
    fc.assert(
      fc.property(
        unique,
        keep,
        fc.constantFrom('\n', '\r\n'),
        fc.constantFrom('', 'end'),
        (numbers, steps, end, last) => {
          const lines = numbers.flatMap((number, at): PatchLine[] => {
            const text = `line ${number}`;
            if (steps[at] === 'drop') return [{kind: 'removed', text}];
            return [
              {kind: 'context', text},
              ...(steps[at] === 'add' ? [{kind: 'added', text: `new ${number}`} as const] : []),
            ];
          });
          const side = (kind: 'removed' | 'added'): string =>
            [...lines.filter(line => line.kind === 'context' || line.kind === kind).map(({text}) => text), last].join(
              end,
            );
          const [old, fresh] = [side('removed'), side('added')];
          const whole = {context: [], place: 'anywhere', lines} as const;
          const turned = {context: [], place: 'anywhere', lines: lines.map(turn)} as const;
          const changes = lines.some(({kind}) => kind !== 'context');
          if (!changes || !lines.some(({kind}) => kind !== 'added')) return;
          expect(patched(old, whole)).toBe(fresh);
          if (lines.some(({kind}) => kind !== 'removed')) expect(patched(fresh, turned)).toBe(old);
        },
      ),
      {numRuns: 300},
    );
  });
});

const turned = {context: 'context', added: 'removed', removed: 'added'} as const;
const turn = ({kind, text}: PatchLine): PatchLine => ({kind: turned[kind], text});
