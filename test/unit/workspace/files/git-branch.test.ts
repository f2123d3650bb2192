import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {gitBranch, githubPage} from '../../../../src/workspace/files/git-branch.ts';
import {temporaryFolder} from '../temporary-folder.ts';
import {putFile} from '../../../support/put-file.ts';

test.each([
  ['a branch', 'ref: refs/heads/main\n', 'main'],
  ['a branch with folders', 'ref: refs/heads/feature/one\n', 'feature/one'],
  ['another ref', 'ref: refs/remotes/x\n', 'refs/remotes/x'],
  ['a commit', `${'a1'.repeat(20)}\n`, 'a1a1a1a1'],
  ['a commit of the longer kind', 'b2'.repeat(32), 'b2b2b2b2'],
  ['nothing', '', ''],
  ['nonsense', 'hello there\n', ''],
])('%s', (_, head, expected) => {
  using folder = temporaryFolder();
  putFile(join(folder.path, '.git/HEAD'), head);
  mkdirSync(join(folder.path, 'src/deep'), {recursive: true});
  expect(gitBranch(folder.path)).toBe(expected);
  expect(gitBranch(join(folder.path, 'src/deep'))).toBe(expected);
});

test.each([
  ['https', 'https://github.com/o/r.git', 'https://github.com/o/r'],
  ['ssh', 'git@github.com:o/r-2.x.git', 'https://github.com/o/r-2.x'],
  ['ssh as an address', 'ssh://git@github.com/o/r', 'https://github.com/o/r'],
  ['another host', 'https://github.com.evil.example/o/r', ''],
  ['more than a name', 'https://github.com/o/r/../../x', ''],
  ['an escape sequence', 'https://github.com/o/r\u001B\\', ''],
])('the page of an origin: %s', (_, url, page) => {
  using folder = temporaryFolder();
  const other = '[remote "fork"]\n\turl = https://github.com/fork/r\n';
  putFile(
    join(folder.path, 'main/.git/config'),
    `[core]\n\tbare = false\n${other}[remote "origin"]\n\turl = ${url}\n\tfetch = x\n`,
  );
  putFile(join(folder.path, 'main/.git/worktrees/two/commondir'), '../..\n');
  putFile(join(folder.path, 'two/.git'), `gitdir: ${join(folder.path, 'main/.git/worktrees/two')}\n`);
  expect(['main', 'two', 'none'].map(name => githubPage(join(folder.path, name)))).toEqual([page, page, '']);
});

test('a worktree, whose .git is a file', () => {
  using folder = temporaryFolder();
  putFile(join(folder.path, 'main/.git/worktrees/two/HEAD'), 'ref: refs/heads/two\n');
  putFile(join(folder.path, 'two/.git'), `gitdir: ${join(folder.path, 'main/.git/worktrees/two')}\n`);
  putFile(join(folder.path, 'three/.git'), 'gitdir: ../main/.git/worktrees/two\n');
  expect(gitBranch(join(folder.path, 'two'))).toBe('two');
  expect(gitBranch(join(folder.path, 'three'))).toBe('two');
});

test('without a repository, or with one that cannot be read, it is nothing', () => {
  using folder = temporaryFolder();
  expect(gitBranch(join(folder.path, 'not/there'))).toBe('');
  mkdirSync(join(folder.path, '.git'));
  expect(gitBranch(folder.path)).toBe('');
  mkdirSync(join(folder.path, '.git/HEAD'));
  expect(gitBranch(folder.path)).toBe('');
});
