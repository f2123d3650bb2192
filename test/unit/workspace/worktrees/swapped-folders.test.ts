import {execFileSync} from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {swappingFolder} from '../../../support/swapping-folder.ts';
import {makeWorktrees} from '../../../../src/workspace/worktrees/make-worktrees.ts';

const {signal} = new AbortController();

/** A repository with `d/config`, and a folder outside of it with a file of the same name and with one that `d` lacks. */
function place() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'weft-swapped-')));
  const [folder, outside] = [join(base, 'repository'), join(base, 'outside')];
  for (const each of [join(folder, 'd/deep'), join(outside, 'deep')]) mkdirSync(each, {recursive: true});
  for (const name of ['config', 'gone', 'deep/config']) {
    writeFileSync(join(folder, 'd', name), 'inside\n');
    writeFileSync(join(outside, name), name === 'gone' ? 'inside\n' : 'a key\n');
  }
  const environment = {PATH: process.env['PATH'], HOME: base, GIT_CONFIG_NOSYSTEM: '1'};
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
      cwd: folder,
      env: environment,
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  return {
    folder,
    outside,
    parked: join(base, 'parked'),
    worktrees: makeWorktrees({environment, now: () => Date.now(), pid: process.pid}),
    [Symbol.dispose]: () => rmSync(base, {recursive: true, force: true}),
  };
}

/** The files below a folder by path; links are not followed, nor `.git` and `.weft`. */
const texts = (folder: string, prefix = ''): Readonly<Record<string, string>> =>
  Object.assign(
    {},
    ...readdirSync(folder, {withFileTypes: true})
      .filter(entry => !entry.name.startsWith('.'))
      .map(entry => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return texts(path, `${prefix}${entry.name}/`);
        return entry.isFile() ? {[prefix + entry.name]: readFileSync(path, 'utf8')} : {};
      }),
  );

/** Runs of each race. */
const runs = 12;

test('a worktree holds nothing of a folder outside that a link leads to while it is made', {tags: 'long'}, async () => {
  using here = place();
  await using _ = await swappingFolder(join(here.folder, 'd'), here);
  for (let run = 0; run < runs; run += 1) {
    const made = await here.worktrees.open({from: here.folder, name: `w${run}`}, signal);
    const held = made.tag === 'ok' ? texts(made.value.folder) : {};
    expect(Object.values(held).filter(text => text !== 'inside\n')).toEqual([]);
  }
});

test('a merge writes, changes and removes nothing in a folder outside', {tags: 'long'}, async () => {
  using here = place();
  const before = texts(here.outside);
  for (let run = 0; run < runs; run += 1) {
    const made = await here.worktrees.open({from: here.folder, name: `w${run}`}, signal);
    if (made.tag === 'failed') throw new Error(made.error.message);
    const {folder} = made.value;
    for (const name of ['d/config', `d/new-${run}`, `d/deep/new-${run}`]) writeFileSync(join(folder, name), 'agent\n');
    rmSync(join(folder, 'd/gone'));
    {
      await using _ = await swappingFolder(join(here.folder, 'd'), here);
      for (let turn = 0; turn < 5; turn += 1) await here.worktrees.merge(made.value, signal);
    }
    expect(texts(here.outside)).toEqual(before);
    for (const name of ['config', 'gone']) writeFileSync(join(here.folder, 'd', name), 'inside\n');
  }
});

test(
  'a merge makes no file through a link that a program left, wherever it leads, and says why',
  {tags: 'long'},
  async () => {
    for (const target of ['outside', 'inside'] as const) {
      using here = place();
      const made = await here.worktrees.open({from: here.folder, name: 'w'}, signal);
      if (made.tag === 'failed') throw new Error(made.error.message);
      writeFileSync(join(made.value.folder, 'd/new'), 'agent\n');
      mkdirSync(join(made.value.folder, 'd/fresh'));
      writeFileSync(join(made.value.folder, 'd/fresh/new'), 'agent\n');
      renameSync(join(here.folder, 'd'), join(here.folder, 'e'));
      symlinkSync(target === 'outside' ? here.outside : 'e', join(here.folder, 'd'));
      const before = [texts(here.outside), texts(join(here.folder, 'e'))];
      expect(await here.worktrees.merge(made.value, signal)).toMatchObject({
        tag: 'failed',
        error: {
          message: expect.stringContaining('d/new (a link leads to its folder, or it is not a regular file there)'),
        },
      });
      expect([texts(here.outside), texts(join(here.folder, 'e'))]).toEqual(before);
    }
  },
);

test('links inside the workspace go on working: one that the repository holds is merged with what lies behind it', async () => {
  using here = place();
  symlinkSync('d', join(here.folder, 'alias'));
  const made = await here.worktrees.open({from: here.folder, name: 'w'}, signal);
  if (made.tag === 'failed') throw new Error(made.error.message);
  writeFileSync(join(made.value.folder, 'alias/new'), 'agent\n');
  expect(await here.worktrees.merge(made.value, signal)).toMatchObject({tag: 'ok'});
  expect(readFileSync(join(here.folder, 'alias/new'), 'utf8')).toBe('agent\n');
});
