import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {globTest} from '../../../src/workspace/glob-pattern.ts';
import {processorClock} from '../../support/processor-clock.ts';

const fits = (pattern: string, path: string): boolean | string => {
  const read = globTest(pattern);
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
  expect(fits('{a}'.repeat(10_000), 'a')).toBe('A glob pattern is 30000 characters long; at most 1000 are taken.');
  expect(fits('{a,b}'.repeat(7), 'a')).toBe(
    `The glob pattern ${'{a,b}'.repeat(7)} has more than 100 alternatives; give fewer, or use *.`,
  );
});
