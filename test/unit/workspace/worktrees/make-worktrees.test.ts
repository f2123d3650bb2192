import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import type {Worktree, WorktreesPort} from '../../../../src/actions/worktrees-port.ts';
import type {Outcome} from '../../../../src/base/outcome.ts';
import {type Fault, faultText} from '../../../../src/domain/fault.ts';
import {makeWorktrees} from '../../../../src/workspace/worktrees/make-worktrees.ts';
import {putFile} from '../../../support/put-file.ts';

const {signal} = new AbortController();

interface Place extends Disposable {
  readonly folder: string;
  readonly worktrees: WorktreesPort;
  git(...words: readonly string[]): string;
  put(path: string, text: string): void;
  open(name: string): Promise<Worktree>;
}

/** A repository with a commit of `a.txt`, `b/c.txt` and an ignore file; programs of the repository leave a trace. */
function place(): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'weft-worktrees-')));
  const environment = {PATH: process.env['PATH'], HOME: join(folder, '.git'), GIT_CONFIG_NOSYSTEM: '1'};
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const put = (path: string, text: string): void => putFile(join(folder, path), text);
  git('init', '-q', '-b', 'main');
  put('a.txt', 'one\ntwo\n');
  put('b/c.txt', 'c\n');
  put('.gitignore', 'out/\n');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  const worktrees = makeWorktrees({environment, now: () => 0, pid: process.pid});
  return {
    folder,
    git,
    put,
    worktrees,
    open: async name => expectOk(await worktrees.open({from: folder, name}, signal)),
    [Symbol.dispose]: () => rmSync(folder, {recursive: true, force: true}),
  };
}

function expectOk<T>(outcome: Outcome<T, Fault>): T {
  if (outcome.tag === 'failed') throw new Error(faultText(outcome.error));
  return outcome.value;
}

const whyNot = (outcome: Outcome<unknown, Fault>): string =>
  outcome.tag === 'failed' ? faultText(outcome.error) : 'it did not fail';

/** All files and links below a folder, repositories and worktrees left out, with their content. */
function everything(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, {recursive: true, withFileTypes: true})) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (/^(?:\.git|\.weft)(?:\/|$)/u.test(name) || entry.isDirectory()) continue;
    found[name] = entry.isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, 'utf8');
  }
  return found;
}

/** The worktree's changes as short texts. */
async function changesOf(here: Place, worktree: Worktree): Promise<readonly string[]> {
  const {files, conflicts} = expectOk(await here.worktrees.changes(worktree, signal));
  return [
    ...files.map(({path, added, removed, notes}) => [`${path} +${added} -${removed}`, ...notes].join(', ')),
    ...conflicts.map(({path, reason}) => `${path}: ${reason}`),
  ];
}

describe('a worktree begins with the files as they are', () => {
  test('changes, deleted and untracked files, links and permissions; ignored files stay behind', async () => {
    using here = place();
    here.put('a.txt', 'one\nchanged\n');
    here.put('staged.txt', 'staged\n');
    here.git('add', 'staged.txt');
    rmSync(join(here.folder, 'b/c.txt'));
    here.put('new/untracked.sh', '#!/bin/sh\n');
    chmodSync(join(here.folder, 'new/untracked.sh'), 0o755);
    symlinkSync('a.txt', join(here.folder, 'link'));
    here.put('out/ignored.txt', 'ignored\n');
    const before = here.git('status', '--porcelain');
    const worktree = await here.open('one');
    const {['out/ignored.txt']: ignored, ...others} = everything(here.folder);
    expect(ignored).toBe('ignored\n');
    expect(everything(worktree.folder)).toEqual(others);
    expect(lstatSync(join(worktree.folder, 'new/untracked.sh')).mode & 0o777).toBe(0o755);
    expect(worktree).toEqual({
      name: 'one',
      folder: join(here.folder, '.weft/worktrees/one'),
      directory: join(here.folder, '.weft/worktrees/one'),
      branch: 'worktree-one',
    });
    // What is staged is staged there, too, and the project itself is as it was.
    expect(here.git('-C', worktree.folder, 'status', '--porcelain')).toBe(before);
    expect(here.git('status', '--porcelain')).toBe(before);
    expect(await changesOf(here, worktree)).toEqual([]);
  });

  test('no program of the repository runs, and no filter changes a byte', async () => {
    using here = place();
    const trace = join(here.folder, '.git/trace');
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction']) {
      writeFileSync(join(here.folder, '.git/hooks', hook), `#!/bin/sh\necho ${hook} >>'${trace}'\n`, {mode: 0o755});
    }
    here.git('config', 'filter.up.smudge', `tee -a '${trace}'`);
    here.git('config', 'filter.up.clean', `tee -a '${trace}'`);
    rmSync(trace, {force: true});
    here.put('.gitattributes', '*.txt filter=up text eol=crlf\n');
    const worktree = await here.open('one');
    expect(everything(worktree.folder)).toEqual(everything(here.folder));
    writeFileSync(join(worktree.folder, 'a.txt'), 'x\n');
    expectOk(await here.worktrees.merge(worktree, signal));
    expectOk(await here.worktrees.drop(worktree, 'keep'));
    expect(existsSync(trace)).toBe(false);
    expect(readFileSync(join(here.folder, 'a.txt'), 'utf8')).toBe('x\n');
  });

  test('for a folder of the repository the agent works in the same folder of the worktree', async () => {
    using here = place();
    const worktree = expectOk(await here.worktrees.open({from: join(here.folder, 'b'), name: 'one'}, signal));
    expect(worktree.directory).toBe(join(worktree.folder, 'b'));
    writeFileSync(join(worktree.folder, 'a.txt'), 'outside\n');
    expect(await changesOf(here, worktree)).toEqual([
      expect.stringMatching(/^\.\.\/a\.txt/u),
      'a.txt: it is outside the folder that the worktree covers',
    ]);
  });

  test('a worktree of a worktree lies beside it', async () => {
    using here = place();
    const outer = await here.open('outer');
    writeFileSync(join(outer.folder, 'a.txt'), 'outer\n');
    const inner = expectOk(await here.worktrees.open({from: outer.folder, name: 'inner'}, signal));
    expect(inner.folder).toBe(join(here.folder, '.weft/worktrees/inner'));
    writeFileSync(join(inner.folder, 'a.txt'), 'inner\n');
    expectOk(await here.worktrees.merge(inner, signal));
    expect(readFileSync(join(outer.folder, 'a.txt'), 'utf8')).toBe('inner\n');
    expect(readFileSync(join(here.folder, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  test('without a repository, and without a commit, there is none, and the error says what to do', async () => {
    using here = place();
    rmSync(join(here.folder, '.git'), {recursive: true});
    expect(whyNot(await here.worktrees.open({from: here.folder, name: 'one'}, signal))).toBe(
      `${here.folder} is not in a git repository, so it can't have a worktree. Create one with git init and a first commit, or work without a worktree.`,
    );
    here.git('init', '-q');
    expect(whyNot(await here.worktrees.open({from: here.folder, name: 'one'}, signal))).toContain(
      'has no commit yet, and git can only make worktrees from commits. Commit something first.',
    );
    expect(readdirSync(join(here.folder, '.weft/worktrees'))).toEqual(['.gitignore']);
  });

  test('a repository whose settings name a folder elsewhere as its files has none', async () => {
    using here = place();
    using other = place();
    here.git('config', 'core.worktree', join(other.folder, 'b'));
    expect(whyNot(await here.worktrees.open({from: here.folder, name: 'one'}, signal))).toContain(
      "is not in a git repository, so it can't have a worktree (its settings point to another folder)",
    );
    expect(existsSync(join(other.folder, 'b/.weft'))).toBe(false);
  });

  test('while another git makes one of the same repository, whose files are still empty', async () => {
    using here = place();
    const halfMade = join(here.folder, '.git/worktrees/other');
    mkdirSync(halfMade, {recursive: true});
    for (const name of ['gitdir', 'commondir']) writeFileSync(join(halfMade, name), name === 'gitdir' ? '/x/.git' : '');
    expect(() => here.git('worktree', 'list')).toThrow('failed to read');
    // The other git is done as soon as this one has failed.
    using bin = place();
    const program = `PATH=\${PATH#*:}\ngit "$@" || { echo ../.. >'${halfMade}/commondir'; exit 128; }`;
    bin.put('git', `#!/bin/sh\n${program}\n`);
    chmodSync(join(bin.folder, 'git'), 0o755);
    const environment = {PATH: `${bin.folder}:${process.env['PATH']}`, HOME: here.folder};
    const made = await makeWorktrees({environment, now: () => 0, pid: 1}).open({from: here.folder, name: 'w'}, signal);
    expect(made).toMatchObject({tag: 'ok', value: {name: 'w', branch: 'worktree-w'}});
    expect(readFileSync(join(halfMade, 'commondir'), 'utf8')).toBe('../..\n');
  });

  test('what another one has put in its place is not taken for it', async () => {
    using here = place();
    here.put('.weft/worktrees/one/a.txt', 'mine\n');
    expect(whyNot(await here.worktrees.open({from: here.folder, name: 'one'}, signal))).toMatch(
      /already exists and is not a worktree of this repository/u,
    );
    using other = place();
    symlinkSync(tmpdir(), join(other.folder, '.weft'));
    expect(whyNot(await other.worktrees.open({from: other.folder, name: 'one'}, signal))).toMatch(/is not a folder/u);
  });
});

describe('a merge', () => {
  test('brings all changes, whatever they are, and leaves them uncommitted', async () => {
    using here = place();
    here.put('gone.bin', '\0\u0001');
    here.put('script.sh', 'x\n');
    here.put('becomes-folder', 'x\n');
    here.put('folder/becomes-file', 'x\n');
    const worktree = await here.open('one');
    const at = (path: string): string => join(worktree.folder, path);
    writeFileSync(at('a.txt'), 'one\nTWO\n');
    rmSync(at('gone.bin'));
    chmodSync(at('script.sh'), 0o755);
    rmSync(at('becomes-folder'));
    mkdirSync(at('becomes-folder'));
    writeFileSync(at('becomes-folder/inside'), 'inside\n');
    rmSync(at('folder'), {recursive: true});
    writeFileSync(at('folder'), 'file now\n');
    symlinkSync('b', at('link'));
    mkdirSync(at('deep/er'), {recursive: true});
    writeFileSync(at('deep/er/new.txt'), 'new\n');
    mkdirSync(at('out'));
    writeFileSync(at('out/ignored.txt'), 'ignored\n');
    // What is committed in the worktree counts as what is not.
    here.git('-C', worktree.folder, 'add', 'a.txt');
    here.git('-C', worktree.folder, 'commit', '-q', '-m', 'two');
    expect(await changesOf(here, worktree)).toEqual([
      'a.txt +1 -1',
      'becomes-folder +0 -1',
      'becomes-folder/inside +1 -0',
      'deep/er/new.txt +1 -0',
      'folder +1 -0',
      'folder/becomes-file +0 -1',
      'gone.bin +0 -0',
      'link +1 -0, it is a symbolic link',
      'script.sh +0 -0, it is now executable',
    ]);
    expectOk(await here.worktrees.merge(worktree, signal));
    const {['out/ignored.txt']: ignored, ...others} = everything(worktree.folder);
    expect(ignored).toBe('ignored\n');
    expect(everything(here.folder)).toEqual(others);
    expect(lstatSync(join(here.folder, 'script.sh')).mode & 0o777).toBe(0o755);
    expect(here.git('log', '--format=%s')).toBe('first\n');
    expectOk(await here.worktrees.drop(worktree, 'keep'));
    expect(readdirSync(join(here.folder, '.weft/worktrees'))).toEqual(['.gitignore']);
    // A commit is not lost: its branch stays, and is named by whoever dropped the worktree.
    expect(here.git('log', '--format=%s', worktree.branch)).toBe('two\nfirst\n');
  });

  test('is refused where a file has changed since, names it, and changes nothing', async () => {
    using here = place();
    const [one, two] = [await here.open('one'), await here.open('two')];
    writeFileSync(join(one.folder, 'a.txt'), 'first\n');
    writeFileSync(join(two.folder, 'a.txt'), 'second\n');
    writeFileSync(join(two.folder, 'b/c.txt'), 'second\n');
    expectOk(await here.worktrees.merge(one, signal));
    const before = everything(here.folder);
    expect(whyNot(await here.worktrees.merge(two, signal))).toBe(
      'Nothing was merged because these conflict with the current files: a.txt (it was changed since).',
    );
    expect(everything(here.folder)).toEqual(before);
    expect(readdirSync(join(here.folder, '.weft/worktrees')).toSorted()).toEqual(['.gitignore', 'one', 'two']);
  });

  test.each<[name: string, change: (here: Place) => void, reason: string]>([
    ['deleted', here => rmSync(join(here.folder, 'a.txt')), 'a.txt (it has been deleted since)'],
    ['made executable', here => chmodSync(join(here.folder, 'a.txt'), 0o755), 'a.txt (it was changed since)'],
    ['made, too', here => here.put('new.txt', 'other\n'), 'new.txt (it was also created there)'],
    [
      'below a link now',
      here => {
        rmSync(join(here.folder, 'b'), {recursive: true});
        mkdirSync(join(here.folder, 'out'));
        here.put('out/c.txt', 'c\n');
        symlinkSync('out', join(here.folder, 'b'));
      },
      'b/c.txt (it was changed since)',
    ],
  ])('is refused for a path that was %s', async (_, change, reason) => {
    using here = place();
    const worktree = await here.open('one');
    for (const path of ['a.txt', 'b/c.txt', 'new.txt']) writeFileSync(join(worktree.folder, path), 'agent\n');
    change(here);
    const before = everything(here.folder);
    expect(whyNot(await here.worktrees.merge(worktree, signal))).toContain(reason);
    expect(everything(here.folder)).toEqual(before);
  });

  test('is taken back where a step of it fails', async () => {
    using here = place();
    here.put('folder/inside', 'x\n');
    const worktree = await here.open('one');
    writeFileSync(join(worktree.folder, 'a.txt'), 'agent\n');
    rmSync(join(worktree.folder, 'folder'), {recursive: true});
    writeFileSync(join(worktree.folder, 'folder'), 'a file\n');
    // An ignored file keeps the folder from going.
    here.put('folder/out/ignored.txt', 'ignored\n');
    const before = everything(here.folder);
    expect(whyNot(await here.worktrees.merge(worktree, signal))).toMatch(/^Nothing was merged: folder/u);
    expect(everything(here.folder)).toEqual(before);
  });

  test('what is the same on both sides is no conflict', async () => {
    using here = place();
    const worktree = await here.open('one');
    writeFileSync(join(worktree.folder, 'a.txt'), 'same\n');
    writeFileSync(join(worktree.folder, 'b/c.txt'), 'agent\n');
    here.put('a.txt', 'same\n');
    expectOk(await here.worktrees.merge(worktree, signal));
    expect(readFileSync(join(here.folder, 'b/c.txt'), 'utf8')).toBe('agent\n');
  });
});

test('one worktree has one weft at a time, and a list says which', async () => {
  using here = place();
  const worktree = await here.open('one');
  // The process that runs the tests stands for another weft.
  const other = makeWorktrees({environment: process.env, now: () => 0, pid: process.ppid});
  expect(whyNot(await other.open({from: here.folder, name: 'one'}, signal))).toBe(
    `Another weft (process ${process.pid}) is using ${worktree.folder}. Choose another name.`,
  );
  const listed = {...worktree, of: here.folder, createdAt: 0};
  expect(expectOk(await other.list(worktree.folder, signal))).toEqual([{...listed, usedBy: process.pid}]);
  await here.worktrees.release(worktree);
  expect(expectOk(await other.list(here.folder, signal))).toEqual([{...listed, usedBy: 0}]);
  expectOk(await other.open({from: here.folder, name: 'one'}, signal));
});

test('a worktree that is there is gone on with, and one that is dropped goes with its branch', async () => {
  using here = place();
  const worktree = await here.open('one');
  writeFileSync(join(worktree.folder, 'a.txt'), 'agent\n');
  expect(await here.open('one')).toEqual(worktree);
  expect(await changesOf(here, worktree)).toEqual(['a.txt +1 -2']);
  expectOk(await here.worktrees.drop(worktree, 'drop'));
  expect(here.git('branch', '--format=%(refname:short)')).toBe('main\n');
  expect(here.git('worktree', 'list', '--porcelain').match(/^worktree /gmu)).toHaveLength(1);
  expect(whyNot(await here.worktrees.changes(worktree, signal))).toMatch(/is no longer a worktree of weft/u);
});
