import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {applyReplacement} from '../../../../src/workspace/files/apply-replacement.ts';
import {processorClock} from '../../../support/processor-clock.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

const replaced = (text: string, oldText: string, newText: string) => {
  const done = applyReplacement(text, {oldText, newText, occurrence: 'only'}, 'quotes');
  return done.tag === 'ok' ? [done.value.text, ...done.value.notes] : done.error;
};

describe('what models get wrong', () => {
  test.each<[string, string, string, string, readonly string[]]>([
    [
      'white space at line ends',
      'one  \ntwo\t\nthree\n',
      'one\ntwo\nthree',
      'one\n2\nthree',
      ['one  \n2\nthree\n', 'matched apart from white space at line ends'],
    ],
    [
      'typographic signs',
      'say “hi” now — ok\n',
      'say "hi" now - ok',
      'say "hi" later - ok',
      ['say “hi” later — ok\n', 'matched apart from typographic signs'],
    ],
    [
      'a space that does not break',
      'a\u00a0b c\n',
      'a b c',
      'a b d',
      ['a\u00a0b d\n', 'matched apart from typographic signs'],
    ],
    [
      'spaces for tabs',
      'f() {\n\treturn 1;\n}\n',
      'f() {\n  return 1;\n}',
      'f() {\n  if (x) {\n    return 2;\n  }\n  return 1;\n}',
      ['f() {\n\tif (x) {\n\t\treturn 2;\n\t}\n\treturn 1;\n}\n', 'matched apart from indentation, which was adapted'],
    ],
    [
      'a block further in',
      'class A:\n    def f():\n        x = 1\n',
      'def f():\n    x = 1',
      'def f():\n    if a:\n        x = 2\n    x = 1',
      [
        'class A:\n    def f():\n        if a:\n            x = 2\n        x = 1\n',
        'matched apart from indentation, which was adapted',
      ],
    ],
    [
      'numbers of Read',
      'first\nsecond\n',
      ' 9\tfirst\n10\tsecond',
      ' 9\tfirst\n10\tzweite',
      ['first\nzweite\n', 'matched apart from line numbers'],
    ],
    [
      'numbers of Read, with the line end of the last',
      'first\nsecond\n',
      ' 9\tfirst\n10\tsecond\n',
      ' 9\tfirst\n10\tzweite\n',
      ['first\nzweite\n', 'matched apart from line numbers'],
    ],
    ['a sign that begins as the one before it', 'a 😀 b\n', '😀', '😁', ['a 😁 b\n']],
    ['a sign that ends as the one before it', 'a 😀 b\n', '😀', '\u{1fa00}', ['a \u{1fa00} b\n']],
    [
      'numbers with an arrow',
      'first\nsecond\n',
      '     1→first',
      'erste',
      ['erste\nsecond\n', 'matched apart from line numbers'],
    ],
    [
      'numbers with a bar, in another indentation',
      '\tfirst\n\tsecond\n',
      '1|first\n2|second',
      '1|first\n2|zweite',
      ['\tfirst\n\tzweite\n', 'matched apart from line numbers and indentation, which was adapted'],
    ],
    ['other line ends', 'a\r\nb\nc\rd\r\n', 'c\nd', 'C\nD', ['a\r\nb\nC\rD\r\n']],
  ])('%s', {tags: 'long'}, (_name, text, oldText, newText, expected) => {
    expect(replaced(text, oldText, newText)).toEqual(expected);
  });

  test.each<[string, string, string, string, RegExp]>([
    ['numbers that do not follow each other', '1\tx\n', '1\tfirst\n3\tsecond', 'x', /was not found/u],
    ['white space alone', 'a\n  \nb\n', '\t', 'x', /was not found/u],
    [
      'one indentation for two',
      'if a:\n  b()\n    c()\n',
      'if a:\nb()\nc()',
      'if a:\nd()',
      /the right indentation of the new text is unclear/u,
    ],
    ['other words', 'const a = 1;\n', 'const b = 1;', 'x', /nearest is at line 1/u],
    ['other white space within a line', 'a  =  1\n', 'a = 1', 'x', /white space only/u],
    ['a part of a line in another indentation', '\tfoo(bar)\n\tbaz()\n', 'foo(b\nbaz', 'x', /was not found/u],
  ])('refused: %s', (_name, text, oldText, newText, message) => {
    expect(replaced(text, oldText, newText)).toMatch(message);
  });

  test('a place found apart from something is the only one: never one of several', () => {
    const lines = fc.array(fc.constantFrom('a', ' a', 'a ', '\ta', 'b', '“b”', '"b"', ''), {maxLength: 8});
    fc.assert(
      fc.property(lines, fc.constantFrom('a', '\ta', '"b"', 'a\nb', ' a\n"b"'), (file, oldText) => {
        const text = file.join('\n');
        const done = applyReplacement(text, {oldText, newText: 'new', occurrence: 'only'}, 'quotes');
        const times = text.split(oldText).length - 1;
        if (times > 1) expect(done.tag).toBe('failed');
        if (done.tag === 'ok' && times === 1) expect(done.value.text).toBe(text.replace(oldText, () => 'new'));
      }),
      {numRuns: randomInputs(500)},
    );
  });
});

describe('every occurrence', () => {
  test.each([
    ['in one file with both line ends', 'a\r\nb\r\na\nb\r\n', 'a\nb', 'A\nB', 'A\r\nB\r\nA\nB\r\n'],
    ['with lines that come and go', 'a\r\nb\r\na\r\nb\r\n', 'a\nb\n', 'c\n', 'c\r\nc\r\n'],
    ['next to each other', 'aaaa\r\n', 'aa', 'b', 'bb\r\n'],
    ['at the beginning and at the end', 'a\r\nx a', 'a', 'b', 'b\r\nx b'],
  ])('%s', {tags: 'long'}, (_name, text, oldText, newText, after) => {
    const done = applyReplacement(text, {oldText, newText, occurrence: 'every'}, 'quotes');
    expect(done).toEqual({tag: 'ok', value: {text: after, notes: []}});
  });

  test('texts that differ in their line ends alone change nothing', () => {
    const done = applyReplacement('a\r\nb', {oldText: 'a\r\nb', newText: 'a\nb', occurrence: 'only'}, 'quotes');
    expect(done).toEqual({
      tag: 'failed',
      error: 'the old and the new text are the same; nothing would change.',
    });
  });
});

test.each([
  ['a b a\nx\na', 'occurs 3 times (lines 1, 3)'],
  ['\na\n\na', 'occurs 2 times (lines 2, 4)'],
  ['\n\na a', 'occurs 2 times (line 3)'],
  ['a\n'.repeat(5), 'occurs 5 times (lines 1, 2, 3, 4, 5)'],
  ['a\n'.repeat(6), 'occurs 6 times (lines 1, 2, 3, 4, 5, …)'],
])('where a text stands several times, in %j, the lines are told', (text, where) => {
  const rest = 'add surrounding lines to make it unique, or replace every occurrence.';
  expect(replaced(text, 'a', 'b')).toBe(`the old text ${where}; ${rest}`);
});

test('large files are edited in time', {tags: 'long'}, () => {
  const many = Array.from({length: 200_000}, (_, at) => `  line number ${at} with “text”`).join('\n');
  const cases: readonly [string, string, number][] = [
    [`${'x'.repeat(5_000_000)}needle`, 'needle', 1000],
    [`${' '.repeat(5_000_000)}needle`, 'needles', 3000],
    [many, 'line number 150000 with "text"\nline number 150001', 3000],
    [many, 'line numbr 777 with\nnothing', 3000],
  ];
  for (const [text, oldText, most] of cases) {
    const spentMs = processorClock();
    applyReplacement(text, {oldText, newText: 'x', occurrence: 'only'}, 'quotes');
    expect(spentMs()).toBeLessThan(most);
  }
});

test('a file full of matches is changed in proportion to its size', () => {
  const text = 'const value = oldName(1);\n'.repeat(200_000);
  const spentMs = processorClock();
  const changed = applyReplacement(text, {oldText: 'oldName', newText: '$& $1', occurrence: 'every'}, 'quotes');
  expect(changed).toEqual({tag: 'ok', value: {text: text.replaceAll('oldName', () => '$& $1'), notes: []}});
  expect(spentMs()).toBeLessThan(1000);
});
