import {mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import type {Action} from '../../../../src/actions/catalogue.ts';
import {bash, edit, glob, grep, judgeOnDisk, parsedRules, read} from '../support/judging.ts';

/** A repository, two worktrees of it, and one that began in a folder of the repository. */
const repository = realpathSync(mkdtempSync(join(tmpdir(), 'weft-worktree-rules-')));
const worktree = join(repository, '.weft/worktrees/one');
const write = (path: string): void => {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, 'a\n');
};
for (const top of [repository, worktree, join(repository, '.weft/worktrees/two')])
  for (const path of ['secret/a.ts', 'plain.ts', 'sub/b.ts']) write(join(top, path));
afterAll(() => rmSync(repository, {recursive: true, force: true}));

const copy = '.weft/worktrees/one/secret/a.ts';
const original = join(repository, 'secret/a.ts');

const parsed = (text: string | undefined) => (text === undefined ? [] : parsedRules(text));

/** The verdict in a session whose workspace is `root`. */
async function decision(root: string, action: Action, rules: {readonly allow?: string; readonly deny?: string}) {
  const judge = judgeOnDisk(root, join(repository, '../home'), {
    rules: {allow: parsed(rules.allow), ask: [], deny: parsed(rules.deny)},
  });
  return (await judge.assess(action, 'default', new AbortController().signal)).decision;
}

test.each<readonly [what: string, root: string, action: Action, deny: string]>([
  ['an absolute rule, in the worktree', worktree, read('secret/a.ts'), `Read(${repository}/secret/**)`],
  ['the same with wildcards', worktree, read('secret/a.ts'), `Read(${dirname(repository)}/*/secret/*.ts)`],
  ['an edit in the worktree', worktree, edit('secret/a.ts'), `Edit(${repository}/secret/**)`],
  ['a command in the worktree', worktree, bash('cat secret/a.ts'), `Read(${repository}/secret/**)`],
  ['a relative rule, in the source', worktree, read(original), 'Read(secret/**)'],
  ['the source by a command', worktree, bash(`cat ${original}`), 'Read(secret/**)'],
  ['another worktree', worktree, read(join(repository, '.weft/worktrees/two/secret/a.ts')), 'Read(secret/**)'],
  ['the copy, read by the parent', repository, read(copy), 'Read(secret/**)'],
  ['the copy by an absolute rule', repository, read(copy), `Read(${original})`],
  ['the copy by its absolute path', repository, read(join(repository, copy)), 'Read(secret/a.ts)'],
  ['the copy, edited', repository, edit(copy), 'Edit(secret/**)'],
  ['the copy, searched', repository, grep('.weft/worktrees/one/secret'), 'Read(secret/**)'],
  ['the copy, listed', repository, glob('*', '.weft/worktrees/one/secret'), 'Read(secret/**)'],
  ['the copy by a command', repository, bash(`cat ${copy}`), 'Read(secret/**)'],
  ['any copy by a command', repository, bash('cat .weft/worktrees/*/secret/a.ts'), 'Read(secret/**)'],
  ['where the session began below', join(repository, 'sub'), read(join(worktree, 'sub/b.ts')), 'Read(b.ts)'],
  ['and in its worktree', join(worktree, 'sub'), read('b.ts'), `Read(${repository}/sub/b.ts)`],
])('a deny rule follows the file: %s', async (_what, root, action, deny) => {
  expect(await decision(root, action, {deny})).toBe('deny');
});

test.each<readonly [what: string, root: string, action: Action, deny: string]>([
  ['other files of a worktree', repository, read('.weft/worktrees/one/plain.ts'), 'Read(secret/**)'],
  ['other files in a worktree', worktree, read('plain.ts'), `Read(${repository}/secret/**)`],
  ["a rule on weft's own folder is none on the worktree in it", worktree, read('plain.ts'), 'Read(.weft/**)'],
])('nothing else is denied: %s', async (_what, root, action, deny) => {
  expect(await decision(root, action, {deny})).toBe('allow');
});

test.each<readonly [what: string, root: string, action: Action, allow: string]>([
  ['of the source in a worktree', worktree, edit('plain.ts'), `Edit(${repository}/plain.ts)`],
  ['of a file in a worktree', repository, edit('.weft/worktrees/one/plain.ts'), 'Edit(plain.ts)'],
  ['of the worktree in its source', worktree, edit(join(repository, 'plain.ts')), 'Edit(plain.ts)'],
])('a rule that allows speaks of no copy: %s', async (_what, root, action, allow) => {
  expect(await decision(root, action, {allow})).toBe('ask');
});
