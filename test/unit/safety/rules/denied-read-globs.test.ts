import {ruleKinds} from '../../../../src/actions/catalogue.ts';
import {expect, test} from 'vitest';
import type {ResolvedPath} from '../../../../src/domain/disk.ts';
import {deniedReadGlobs} from '../../../../src/safety/rules/denied-read-globs.ts';
import {parseRule} from '../../../../src/safety/rules/permission-rule.ts';

/** `link` in the workspace leads to `/secret`, the home folder to `/users/me`. */
const resolve = (path: string): ResolvedPath => ({
  path: path.replace(/^\/w\/link/u, '/secret').replace(/^\/home\/me/u, '/users/me'),
  place: 'inside-workspace',
});

const denied = (...texts: readonly string[]): readonly string[] => {
  const deny = texts.flatMap(text => {
    const rule = parseRule(text, ruleKinds);
    return rule.tag === 'ok' ? [rule.value] : [];
  });
  expect(deny).toHaveLength(texts.length);
  return deniedReadGlobs({rules: {allow: [], ask: [], deny}, roots: ['/w', '/other'], home: '/home/me', resolve});
};

const own = '.weft/worktrees/*';

test.each<[string, readonly string[]]>([
  ['Read(.env)', ['./.env', '/w/.env', '/other/.env', `/w/${own}/.env`, `/other/${own}/.env`]],
  ['Read(secret/**)', ['./secret/*', '/w/secret/*', '/other/secret/*', `/w/${own}/secret/*`, `/other/${own}/secret/*`]],
  ['Grep(**/*.key)', ['./**/*.key', '/w/**/*.key', '/other/**/*.key', `/w/${own}/**/*.key`, `/other/${own}/**/*.key`]],
  [
    'Glob(a[1]/{b})',
    [
      './a\\[1\\]/\\{b\\}',
      '/w/a\\[1\\]/\\{b\\}',
      '/other/a\\[1\\]/\\{b\\}',
      `/w/${own}/a\\[1\\]/\\{b\\}`,
      `/other/${own}/a\\[1\\]/\\{b\\}`,
    ],
  ],
  ['Read(.)', ['./**', '/w', '/other']],
  ['Read(/etc/**)', ['/etc/*']],
  ['Read(/w/a.ts)', ['/w/a.ts', `/w/${own}/a.ts`]],
  ['Read(/*/a.ts)', ['/*/a.ts', `/w/${own}/a.ts`, `/other/${own}/a.ts`]],
  ['Read(/**)', ['/*', `/w/${own}`, `/other/${own}`]],
  ['Read(~/.ssh)', ['/home/me/.ssh', '/users/me/.ssh']],
  [
    'Read(link/*.key)',
    [
      './link/*.key',
      '/w/link/*.key',
      '/other/link/*.key',
      '/secret/*.key',
      `/w/${own}/link/*.key`,
      `/other/${own}/link/*.key`,
    ],
  ],
])('%s', (rule, globs) => {
  expect(denied(rule)).toEqual(globs);
});

test('rules without a pattern and for other tools name nothing; what is named twice is said once', () => {
  expect(denied('Read', 'Edit(src/**)', 'Bash(cat:*)', 'Read(/etc)', 'Grep(/etc)')).toEqual(['/etc']);
});
