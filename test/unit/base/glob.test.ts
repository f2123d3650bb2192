import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {compileGlob, compileName, expandBraces, matchStars} from '../../../src/base/glob.ts';
import {processorClock} from '../../support/processor-clock.ts';
import {randomInputs} from '../../support/random-inputs.ts';

const fits = (pattern: string, path: string): boolean | string => {
  const read = compileGlob(pattern);
  return read.tag === 'ok' ? read.value(path) : read.error;
};

test.each<[string, readonly string[], readonly string[]]>([
  ['*.ts', ['a.ts', 'x/y/a.ts', '.ts'], ['a.tsx', 'a.ts/b']],
  ['/*.ts', ['a.ts'], ['x/a.ts']],
  ['./a?.ts', ['ab.ts', 'a😀.ts'], ['a.ts', 'a/.ts']],
  ['src/**/*.ts', ['src/a.ts', 'src/x/y/a.ts'], ['a.ts', 'x/src/a.ts', 'src.ts']],
  ['**/a', ['a', 'x/y/a'], ['ba', 'a/b']],
  ['**/a/**/b/c', ['a/b/c', 'x/a/b/a/b/c', 'a/x/b/b/c'], ['a/c', 'b/c', 'a/b/c/d']],
  ['**/**/**/a', ['a', 'x/a'], ['b']],
  ['**', ['a', 'a/b'], []],
  ['src/**', ['src/a', 'src/x/a'], ['src', 'srcs/a']],
  ['src/', ['src/a', 'src/x/a'], ['src']],
  ['src//a', ['src/a'], ['src']],
  ['/', [], ['a', 'a/b']],
  ['', [], ['a', 'a/b']],
  ['{a,b/**}/[0-9]{x,y}', ['a/1x', 'b/c/2y'], ['a/c/1x', 'a/xx']],
  ['a*b*c', ['abc', 'abcbc', 'aXbXXbXc'], ['abcb', 'acb']],
  ['a**b', ['ab', 'aXb'], ['a/b']],
  ['[!a]b', ['bb', 'x/bb'], ['ab']],
  ['[^a-c]b', ['db'], ['ab', 'cb', 'b']],
  ['[]]', [']'], ['x']],
  ['[z-a]', [], ['a', 'z']],
  ['[😀-😂]', ['😁'], ['😀😀', 'a']],
  ['a+(b).$^|', ['a+(b).$^|'], ['aab']],
  ['[unclosed', ['[unclosed'], ['u']],
  ['\\*', ['*'], ['a']],
  ['\\{a,b}', ['{a,b}'], ['a', '{a']],
  ['[&&~~-]x', ['&x', '~x', '-x'], ['ax']],
  ['a\nb', ['a\nb'], ['a']],
])('%s', (pattern, good, others) => {
  expect([...good, ...others].filter(path => fits(pattern, path) === true)).toEqual(good);
});

test('a pattern made of a path with parts and characters replaced by wildcards fits that path', () => {
  const name = fc.string({unit: fc.constantFrom('a', 'b', '-', '😀'), minLength: 1, maxLength: 6});
  const path = fc.array(fc.tuple(name, fc.constantFrom('same', '**', '*', '?', 'a*')), {minLength: 1, maxLength: 6});
  fc.assert(
    fc.property(path, parts => {
      const pattern = parts.map(([text, how]) => {
        if (how === '?') return '?'.repeat(Array.from(text).length);
        if (how === 'a*') return `*${Array.from(text).at(-1)}*`;
        return how === 'same' ? text : how;
      });
      expect(fits(`/${pattern.join('/')}`, parts.map(([text]) => text).join('/'))).toBe(true);
    }),
  );
});

test.each([
  ['stars in a name', `${'*a'.repeat(400)}*b`, 'a'.repeat(250)],
  ['folders of any depth', `${'**/'.repeat(300)}zz`, Array.from({length: 500}, () => 'a').join('/')],
  ['folders between any depth', `${'**/a/'.repeat(190)}zz`, Array.from({length: 2000}, () => 'a').join('/')],
  ['braces', '{a}'.repeat(333), 'b'],
  ['braces that do not close', '{'.repeat(1000), 'b'],
  ['braces in braces', `${'{'.repeat(500)}${'}'.repeat(500)}`, 'b'],
])('%s take no time', (_name, pattern, path) => {
  const spentMs = processorClock();
  expect(fits(pattern, path)).toBe(false);
  expect(spentMs()).toBeLessThan(150);
});

test('a pattern beyond the bounds says so', () => {
  expect(fits('{a}'.repeat(10_000), 'a')).toBe('A glob pattern is 30000 characters long; at most 1000 are allowed.');
  expect(fits('{a,b}'.repeat(7), 'a')).toBe(
    `The glob pattern ${'{a,b}'.repeat(7)} has more than 100 alternatives; give fewer, or use *.`,
  );
});

test.each<[string, readonly string[]]>([
  ['plain', ['plain']],
  ['a{b,c{d,e}}{f,}', ['abf', 'ab', 'acdf', 'acd', 'acef', 'ace']],
  ['{a}', ['a']],
  ['{}x', ['x']],
  ['{open', ['{open']],
  ['{a,{b,c}', ['{a,b', '{a,c']],
  ['\\{a,b}{c\\,d,e\\}}', ['\\{a,b}c\\,d', '\\{a,b}e\\}']],
  ['a}b,c', ['a}b,c']],
])('%s', (pattern, patterns) => {
  expect(expandBraces(pattern)).toEqual({tag: 'ok', value: patterns});
});

test.each([
  ['{a,b}'.repeat(7), 'alternatives'],
  [`{${'{a,b},'.repeat(51)}}`, 'alternatives'],
  ['{a,b}'.repeat(1000), 'characters long'],
])('too much %#', (pattern, words) => {
  const expanded = expandBraces(pattern);
  expect(expanded.tag === 'failed' ? expanded.error : expanded).toContain(words);
});

const elements = {
  isStar: (wanted: string): boolean => wanted === '*',
  fits: (wanted: string, found: string): boolean => wanted === found,
};

const letters = (alphabet: readonly string[]) => fc.array(fc.constantFrom(...alphabet), {maxLength: 10});

test('agrees with a regular expression', () => {
  fc.assert(
    fc.property(letters(['a', 'b', '*']), letters(['a', 'b']), (pattern, run) => {
      const same = new RegExp(`^${pattern.join('').replaceAll('*', '.*')}$`, 'u').test(run.join(''));
      expect(matchStars(pattern, run, elements)).toBe(same);
    }),
    {numRuns: randomInputs(2000)},
  );
});

test('many stars take no longer than the product of the lengths', () => {
  const spentMs = processorClock();
  expect(matchStars(`${'a*'.repeat(50)}b`, 'a'.repeat(50_000), elements)).toBe(false);
  expect(spentMs()).toBeLessThan(1000);
});

test.each<[string, readonly string[], readonly string[]]>([
  ['a[bc]', ['ab', 'az', 'aé', 'a😀'], ['a-', 'abc']],
  ['a[!b]', ['ab', 'a-'], ['a', 'abc']],
  ['[[:alpha:]]x', ['ax', '-x'], ['x']],
  ['a\\b', ['a', 'ab', 'a\\b'], ['b']],
  ['a[', ['a[', 'ab'], ['a']],
  ['😀?', ['😀a', '😀😀'], ['😀']],
])('%s widened', (pattern, good, others) => {
  const fit = compileName(pattern, {sets: 'widened', hidden: 'like others'});
  expect([...good, ...others].filter(fit)).toEqual(good);
});

test('as in shells, only a pattern with a leading dot names hidden files', () => {
  const names = ['a', '.a', '..a'];
  const fitting = (pattern: string, hidden: 'as in shells' | 'like others'): readonly string[] =>
    names.filter(compileName(pattern, {sets: 'exact', hidden}));
  expect(fitting('*', 'as in shells')).toEqual(['a']);
  expect(fitting('.*', 'as in shells')).toEqual(['.a', '..a']);
  expect(fitting('*', 'like others')).toEqual(names);
});
