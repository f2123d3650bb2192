import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {readShell} from '../../../../src/safety/shell/loose-reader.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

const plainly = (text: string): readonly (readonly string[])[] =>
  readShell(text).commands.map(words => words.map(({plain}) => plain));

test.each<[string, readonly (readonly string[])[]]>([
  ['', []],
  ['ls -l', [['ls', '-l']]],
  ['a;b&&c||d|e&f\ng', [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g']]],
  [`a "b c" 'd;e' f\\ g`, [['a', 'b c', 'd;e', 'f g']]],
  [`r''m "x"'y'z`, [['rm', 'xyz']]],
  ['a "b\\"c\\d"', [['a', 'b"c\\d']]],
  ["a $'it\\'s'", [['a', "it's"]]],
  ['a\\\nb', [['ab']]],
  ['>out a <in b 2>&1 &>c d', [['a', 'b', 'd']]],
  ['a>b', [['a']]],
  ['a <<EOF', [['a']]],
  [
    'a $(b c) d',
    [
      ['b', 'c'],
      ['a', '$()', 'd'],
    ],
  ],
  [
    'a "x $(b "c d") y" e',
    [
      ['b', 'c d'],
      ['a', 'x $() y', 'e'],
    ],
  ],
  ['a `b \\`c\\`` d', [['c'], ['b', '$()'], ['a', '$()', 'd']]],
  ['a <(b) >(c)', [['b'], ['c'], ['a', '$()', '$()']]],
  ['X=$( (b; c) ) d', [['b'], ['c'], ['X=$()', 'd']]],
  ['(a); b', [['a'], ['b']]],
])('%j', (text, commands) => {
  expect(plainly(text)).toEqual(commands);
});

const signs = Array.from('ab \n;|&()<>$`"\'\\{}=1');

test('any text is read to its end, and words as written are parts of it', () => {
  const text = fc.array(fc.constantFrom(...signs), {maxLength: 40}).map(chars => chars.join(''));
  fc.assert(
    fc.property(text, given => {
      for (const {raw} of readShell(given).commands.flat()) {
        expect(raw).not.toBe('');
        expect(given.replaceAll('\\', '')).toContain(raw.replaceAll('\\', ''));
      }
    }),
    {numRuns: randomInputs(2000)},
  );
});

test('nesting beyond what is followed is said', () => {
  expect(readShell(`${'$('.repeat(10)}a`).extent).toBe('whole');
  expect(readShell(`${'$('.repeat(10_000)}a`).extent).toBe('partial');
});
