import {expect, test} from 'vitest';
import {expandBraces} from '../../../src/workspace/expand-braces.ts';

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
