import {execFileSync} from 'node:child_process';
import {appendFileSync, existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {repositoryState} from '../../../src/workspace/repository-state.ts';
import {temporaryFolder} from './temporary-folder.ts';

const git = (folder: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...words], {cwd: folder, encoding: 'utf8'});

const stateOf = (folder: string): ReturnType<typeof repositoryState> =>
  repositoryState({folder, environment: process.env, signal: new AbortController().signal});

function fill(folder: string, subjects: readonly string[]): void {
  git(folder, 'init', '-q');
  for (const subject of subjects) {
    writeFileSync(join(folder, 'a.txt'), subject);
    git(folder, 'add', '.');
    git(folder, 'commit', '-q', '-m', `${subject}\n\nWhy.`);
  }
}

const latest = ['Fourth', 'Third', 'Second'];

test('commits and changes, from any folder of the repository, also in packs, worktrees and without a branch', async () => {
  using place = temporaryFolder();
  const folder = join(place.path, 'repository');
  mkdirSync(folder);
  fill(folder, ['First', 'Second', 'Third', 'Fourth']);
  mkdirSync(join(folder, 'below'));
  writeFileSync(join(folder, 'below', 'new.txt'), '');
  appendFileSync(join(folder, 'a.txt'), 'changed');
  expect(await stateOf(join(folder, 'below'))).toEqual({changed: 2, subjects: latest});
  git(folder, 'gc', '-q');
  expect(await stateOf(folder)).toEqual({changed: 2, subjects: latest});
  const worktree = join(place.path, 'tree');
  git(folder, 'worktree', 'add', '-q', '--detach', worktree);
  expect(await stateOf(worktree)).toEqual({changed: 0, subjects: latest});
});

test('a repository without commits has none', async () => {
  using folder = temporaryFolder();
  fill(folder.path, []);
  expect(await stateOf(folder.path)).toEqual({changed: 0, subjects: []});
});

test("no program runs that the repository's settings name", async () => {
  using place = temporaryFolder();
  using other = temporaryFolder();
  const folder = place.path;
  fill(folder, ['First']);
  const ran = join(other.path, 'ran');
  writeFileSync(join(folder, '.gitattributes'), '* filter=evil\n');
  git(folder, 'config', 'core.fsmonitor', `touch ${ran}`);
  writeFileSync(join(folder, 'a.txt'), 'second');
  expect(await stateOf(folder)).toEqual({changed: 2, subjects: ['First']});
  git(folder, 'config', 'filter.evil.clean', `touch ${ran}; cat`);
  writeFileSync(join(folder, 'a.txt'), 'Thirs');
  expect(await stateOf(folder)).toEqual({changed: 'unknown', subjects: ['First']});
  expect(existsSync(ran)).toBe(false);
});
