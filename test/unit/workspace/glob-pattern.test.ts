import {expect, test} from 'vitest';
import {expandBraces, globTest} from '../../../src/workspace/glob-pattern.ts';

test.each<[string, readonly string[], readonly string[]]>([
  ['*.ts', ['a.ts', 'x/y/a.ts', '.ts'], ['a.tsx', 'a.ts/b']],
  ['/*.ts', ['a.ts'], ['x/a.ts']],
  ['./a?.ts', ['ab.ts', 'a😀.ts'], ['a.ts', 'a/.ts']],
  ['src/**/*.ts', ['src/a.ts', 'src/x/y/a.ts'], ['a.ts', 'x/src/a.ts', 'src.ts']],
  ['**/a', ['a', 'x/y/a'], ['ba', 'a/b']],
  ['src/**', ['src/a', 'src/x/a'], ['src', 'srcs/a']],
  ['src/', ['src/a', 'src/x/a'], ['src']],
  ['{a,b/**}/[0-9]{x,y}', ['a/1x', 'b/c/2y'], ['a/c/1x', 'a/xx']],
  ['[!a]b', ['bb', 'x/bb'], ['ab']],
  ['[]]', [']'], ['x']],
  ['[z-a]', [], ['a', 'z']],
  ['a+(b).$^|', ['a+(b).$^|'], ['aab']],
  ['[unclosed', ['[unclosed'], ['u']],
  ['\\*', ['*'], ['a']],
  ['[&&~~-]x', ['&x', '~x'], ['ax']],
])('%s', (pattern, fits, others) => {
  const matches = globTest(pattern);
  expect([...fits, ...others].filter(matches)).toEqual(fits);
});

test('braces', () => {
  expect(expandBraces('a{b,c{d,e}}{f,}')).toEqual(['abf', 'ab', 'acdf', 'acd', 'acef', 'ace']);
  expect(expandBraces('{open')).toEqual(['{open']);
  expect(expandBraces('{a,b}'.repeat(20))).toEqual(['{a,b}'.repeat(20)]);
});
