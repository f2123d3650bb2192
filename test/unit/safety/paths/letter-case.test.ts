import {expect, test} from 'vitest';
import {letterCaseOf} from '../../../../src/safety/paths/path-parts.ts';
import {bash, judgeOnDisk, parsedRules} from '../support/judging.ts';
import {
  patternMatches,
  patternMayMatch,
  parsePathPattern,
  type PatternPart,
} from '../../../../src/safety/paths/path-pattern.ts';

const parts = (text: string): readonly PatternPart[] => {
  const read = parsePathPattern(text);
  if (read.tag === 'failed') throw new Error(read.error);
  return read.value.parts;
};

test('a file system without case leads a name in the other case to the same place', () => {
  const inside = {place: 'inside-workspace'} as const;
  expect(letterCaseOf('/Work', path => ({path: path.toLowerCase() === '/work' ? '/Work' : path, ...inside}))).toBe(
    'folded',
  );
  expect(letterCaseOf('/Work', path => ({path, ...inside}))).toBe('exactly');
  expect(letterCaseOf('/', path => ({path, ...inside}))).toBe('exactly');
});

test.each<[string, readonly string[], boolean]>([
  ['secret/*.key', ['Secret', 'A.KEY'], true],
  ['secret/*.key', ['secret', 'a.pem'], false],
  ['**/.env', ['a', '.ENV'], true],
  ['caf\u{e9}', ['CAFE\u{301}'], true],
  ['SECRET/*.KEY', ['secret', 'a.key'], true],
  ['Secret/A?.Key', ['secret', 'ab.key'], true],
  ['SECRET/*.KEY', ['secret', 'a.pem'], false],
])('%s fits %j without case: %s', (pattern, path, fits) => {
  expect(patternMatches(parts(pattern), path, 'folded')).toBe(fits);
  if (fits) expect(patternMatches(parts(pattern), path, 'exactly')).toBe(false);
});

test.each<[string, readonly string[], boolean]>([
  ['.env', ['.e*'], true],
  ['.env', ['*'], false],
  ['.env', ['.en[uv]'], true],
  ['a.key', ['*.key'], true],
  ['a.key', ['?.key'], true],
  ['a.key', ['??.key'], false],
  ['*.key', ['a*'], true],
  ['b*.key', ['a*'], false],
  ['secret/**', ['s*', 'x'], true],
  ['secret/**', ['t*', 'x'], false],
  ['**/.env', ['a', '*', '.{env,x}'], true],
])('%s may be %j: %s', (pattern, path, fits) => {
  expect(patternMayMatch(parts(pattern), path, 'exactly')).toBe(fits);
  const capitals = path.map(name => name.toUpperCase());
  expect(patternMayMatch(parts(pattern), capitals, 'folded')).toBe(fits);
  expect(patternMayMatch(parts(pattern.toUpperCase()), path, 'folded')).toBe(fits);
});

test.each([
  ['Read(SECRET/*.KEY)', 'cat secret/a.key'],
  ['Read(secret/*.key)', 'cat SECRET/A.KEY'],
  ['Read(Secret/**)', 'cat secret/deep/a'],
  ['Read(Secret/A.*)', 'cat secret/a*'],
])('the rule %s denies %s on a file system without case', async (rule, command) => {
  const denies = async (resolve: (path: string) => string) => {
    const judge = judgeOnDisk('/w', '/home/me', {
      rules: {allow: [], ask: [], deny: parsedRules(rule)},
      list: () => [],
      resolve: path => ({
        path: resolve(path.startsWith('/') ? path : `/w/${path}`),
        place: /^\/w(?:\/|$)/iu.test(path) || !path.startsWith('/') ? 'inside-workspace' : 'outside-workspace',
      }),
    });
    return (await judge.assess(bash(command), 'default', new AbortController().signal)).decision === 'deny';
  };
  expect([await denies(path => path.toLowerCase()), await denies(path => path)]).toEqual([true, false]);
});
