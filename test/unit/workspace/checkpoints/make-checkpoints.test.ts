import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {makeCheckpoints} from '../../../../src/workspace/checkpoints/make-checkpoints.ts';
import {pruneCheckpoints} from '../../../../src/workspace/checkpoints/prune-checkpoints.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {everything, place, revert, take} from './checkpoint-place.ts';

const {signal} = new AbortController();

const write = (here: ReturnType<typeof place>, tree: Record<string, {content: string; mode: number}>): void => {
  for (const name of readdirSync(here.work)) rmSync(join(here.work, name), {recursive: true});
  for (const [path, file] of Object.entries(tree)) {
    if (Object.keys(tree).some(other => other.startsWith(`${path}/`))) continue;
    here.put(path, file.content, file.mode);
  }
};

const lines = (...changed: readonly string[]): string =>
  Array.from({length: 12}, (_, at) => changed.find(line => line.startsWith(`${at} `)) ?? `${at}`).join('\n');

describe('taking back what a command did', () => {
  test('git clean and git reset: to the byte, with modes, links, empty folders, and ignored files', async () => {
    using here = place();
    here.git('init', '-q');
    here.put('.gitignore', 'secret.env\nbuild/\n');
    here.put('.gitattributes', '* text=auto eol=crlf\n*.txt filter=none ident\n');
    here.put('tracked.txt', 'one\r\ntwo\n$Id$\n');
    here.put('run.sh', '#!/bin/sh\n', 0o755);
    here.git('add', '.');
    here.git('commit', '-qm', 'first');
    here.put('tracked.txt', 'one\r\ntwo\nthree, not committed\n$Id$\n');
    here.put('staged.txt', 'staged\n');
    here.git('add', 'staged.txt');
    here.put('private', 'only mine', 0o600);
    here.put('secret.env', 'KEY=1\n', 0o400);
    here.put('build/out.bin', Buffer.from([0, 255, 10, 13, 0]), 0o755);
    here.put('new name with\nline end', 'x');
    mkdirSync(join(here.work, 'empty/deep'), {recursive: true});
    chmodSync(join(here.work, 'empty'), 0o711);
    symlinkSync('nowhere/at all', join(here.work, 'broken-link'));
    symlinkSync('build', join(here.work, 'folder-link'));
    const indexBefore = readFileSync(join(here.work, '.git/index'));
    const before = everything(here.work);
    const checkpoints = here.open();
    const start = await take(checkpoints);
    expect(readFileSync(join(here.work, '.git/index'))).toEqual(indexBefore);
    here.git('reset', '-q', '--hard');
    here.git('clean', '-qfdx');
    expect(everything(here.work)).not.toEqual(before);
    const end = await take(checkpoints);
    const done = await revert(here.open(), {before: start, after: end});
    expect(everything(here.work)).toEqual(before);
    expect(done.report.conflicts).toEqual([]);
    await revert(here.open(), done.change);
    expect(everything(here.work)).not.toEqual(before);
    await revert(here.open(), (await revert(here.open(), {before: start, after: end})).change);
    expect(existsSync(join(here.work, 'secret.env'))).toBe(false);
  });

  test('in folders that nobody may write to any more, the workspace itself too', async () => {
    using here = place();
    const modeOf = (path: string): number => lstatSync(join(here.work, path)).mode & 0o777;
    here.put('locked/deep/changed', 'one');
    here.put('locked/gone', 'one');
    chmodSync(here.work, 0o755);
    chmodSync(join(here.work, 'locked/deep'), 0o555);
    const before = everything(here.work);
    const checkpoints = here.open();
    const start = await take(checkpoints);
    chmodSync(join(here.work, 'locked/deep'), 0o755);
    here.put('locked/deep/changed', 'two');
    here.put('locked/new', 'two');
    rmSync(join(here.work, 'locked/gone'));
    for (const folder of ['locked/deep', 'locked', '']) chmodSync(join(here.work, folder), 0o555);
    const end = await take(checkpoints);
    const done = await revert(here.open(), {before: start, after: end});
    expect(done.report.conflicts).toEqual([]);
    expect(everything(here.work)).toEqual(before);
    expect(['', 'locked', 'locked/deep'].map(modeOf)).toEqual([0o755, 0o755, 0o555]);
    await revert(here.open(), done.change);
    expect(['', 'locked', 'locked/deep'].map(modeOf)).toEqual([0o555, 0o555, 0o555]);
    for (const folder of ['', 'locked', 'locked/deep']) chmodSync(join(here.work, folder), 0o755);
  });

  test('without a repository; a folder that became a file, a file a link, a link a folder', async () => {
    using here = place();
    here.put('a/b/c', 'deep');
    here.put('file', 'content', 0o640);
    symlinkSync('file', join(here.work, 'link'));
    const before = everything(here.work);
    const checkpoints = here.open();
    const start = await take(checkpoints);
    rmSync(join(here.work, 'a'), {recursive: true});
    here.put('a', 'now a file');
    rmSync(join(here.work, 'file'));
    symlinkSync('/etc/hosts', join(here.work, 'file'));
    rmSync(join(here.work, 'link'));
    here.put('link/inner', 'x');
    const end = await take(checkpoints);
    await revert(checkpoints, {before: start, after: end});
    expect(everything(here.work)).toEqual(before);
  });

  test('a change that was never closed counts up to now', async () => {
    using here = place();
    here.put('a', 'one');
    const start = await take(here.open());
    here.put('a', 'two');
    here.put('b', 'new');
    await revert(here.open(), {before: start, after: 'now'});
    expect(everything(here.work)).toEqual({a: `file 644 ${Buffer.from('one').toString('base64')}`});
  });

  test('a change within the same millisecond and of the same length is seen', async () => {
    using here = place();
    const checkpoints = here.open();
    here.put('a', 'one');
    const start = await take(checkpoints);
    here.put('a', 'two');
    const end = await take(checkpoints);
    expect(end).not.toBe(start);
  });

  test('any trees: going back gives the first, redoing the second', {tags: 'long'}, async () => {
    const content = fc.oneof(fc.string({maxLength: 8}), fc.constantFrom('a\nb\n', 'a\r\nb'));
    const trees = fc.dictionary(
      fc.constantFrom('a', 'b', 'b/c', 'b/d', 'e', 'e/f/g', 'e/f'),
      fc.record({content, mode: fc.constantFrom(0o644, 0o755, 0o600)}),
    );
    await fc.assert(
      fc.asyncProperty(trees, trees, async (first, second) => {
        using here = place();
        const checkpoints = here.open();
        write(here, first);
        const one = everything(here.work);
        const before = await take(checkpoints);
        write(here, second);
        const two = everything(here.work);
        const after = await take(checkpoints);
        const {change} = await revert(checkpoints, {before, after});
        expect(everything(here.work)).toEqual(one);
        await revert(checkpoints, change);
        expect(everything(here.work)).toEqual(two);
      }),
      {numRuns: randomInputs(40)},
    );
  });
});

describe('what somebody else changed since', () => {
  test('is merged where it can be, named where not, and never lost', async () => {
    using here = place();
    const checkpoints = here.open();
    for (const name of ['apart', 'same', 'binary', 'deleted']) here.put(name, lines());
    const before = await take(checkpoints);
    for (const name of ['apart', 'same', 'deleted']) here.put(name, lines('2 agent'));
    here.put('binary', 'agent\0');
    here.put('created', 'by the agent');
    here.put('untouched', 'by the agent');
    const after = await take(checkpoints);
    here.put('apart', lines('2 agent', '9 user'));
    here.put('same', lines('2 user'));
    here.put('binary', 'user\0');
    here.put('created', 'by the agent, and the user');
    here.put('own', 'of the user');
    rmSync(join(here.work, 'deleted'));
    const {report} = await revert(checkpoints, {before, after});
    expect(report).toEqual({
      files: [
        {path: join(here.work, 'apart'), effect: 'merged'},
        {path: join(here.work, 'untouched'), effect: 'deleted'},
      ],
      conflicts: [
        {path: join(here.work, 'binary'), reason: 'it was changed since in the same place'},
        {path: join(here.work, 'created'), reason: 'it was changed since'},
        {path: join(here.work, 'deleted'), reason: 'it has been deleted since'},
        {path: join(here.work, 'same'), reason: 'it was changed since in the same place'},
      ],
      excluded: [],
      alongside: [],
      coverage: 'all files' as const,
    });
    expect(here.read('apart')).toBe(lines('9 user'));
    expect(here.read('same')).toBe(lines('2 user'));
    expect(here.read('created')).toBe('by the agent, and the user');
    expect(here.read('own')).toBe('of the user');
    const again = await checkpoints.preview([{before, after}], signal);
    expect(again.tag === 'ok' && again.value.files).toEqual([]);
  });

  test('several changes go back one behind the other, and what was done between them stays', async () => {
    using here = place();
    const checkpoints = here.open();
    here.put('a', lines());
    const first = await take(checkpoints);
    here.put('a', lines('1 agent'));
    const second = await take(checkpoints);
    here.put('a', lines('1 agent', '6 user'));
    const third = await take(checkpoints);
    here.put('a', lines('1 agent', '6 user', '11 agent'));
    const fourth = await take(checkpoints);
    await revert(checkpoints, {before: third, after: fourth}, {before: first, after: second});
    expect(here.read('a')).toBe(lines('6 user'));
  });

  test('a folder with something in it that is not the agent’s stays; nothing is written through a link', async () => {
    using here = place();
    const checkpoints = here.open();
    here.put('old/a', 'a');
    const before = await take(checkpoints);
    rmSync(join(here.work, 'old'), {recursive: true});
    here.put('made/by-agent', 'x');
    const after = await take(checkpoints);
    here.put('made/by-user', 'y');
    symlinkSync(tmpdir(), join(here.work, 'old'));
    const {report} = await revert(checkpoints, {before, after});
    expect(Object.keys(everything(here.work))).toEqual(['made', 'made/by-user', 'old']);
    expect(report.conflicts.map(({path}) => path)).toEqual([join(here.work, 'old'), join(here.work, 'old/a')]);
    expect(existsSync(join(tmpdir(), 'a'))).toBe(false);
  });
});

describe('what is kept', () => {
  test('large ignored trees and files are left out, said, and never touched', {tags: 'long'}, async () => {
    using here = place();
    here.git('init', '-q');
    here.put('.gitignore', 'node_modules/\n*.log\n');
    for (let at = 0; at <= 2000; at += 1) here.put(`node_modules/m${at}`, '');
    here.put('big.log', Buffer.alloc(1024 * 1024 + 1));
    here.put('small.log', 'kept');
    here.put('large-but-not-ignored', Buffer.alloc(3 * 1024 * 1024, 7));
    const checkpoints = here.open();
    const before = await take(checkpoints);
    rmSync(join(here.work, 'node_modules/m1'));
    for (const name of ['small.log', 'large-but-not-ignored', 'big.log']) rmSync(join(here.work, name));
    const after = await take(checkpoints);
    const {report} = await revert(checkpoints, {before, after});
    expect(here.read('small.log')).toBe('kept');
    expect(lstatSync(join(here.work, 'large-but-not-ignored')).size).toBe(3 * 1024 * 1024);
    expect(existsSync(join(here.work, 'node_modules/m1'))).toBe(false);
    expect(readdirSync(join(here.work, 'node_modules'))).toHaveLength(2000);
    expect(report.conflicts).toEqual([]);
  });

  test('a nested repository: its files, not what its version control keeps', {tags: 'long'}, async () => {
    using here = place();
    mkdirSync(join(here.work, 'nested'));
    execFileSync('git', ['init', '-q'], {cwd: join(here.work, 'nested')});
    here.put('nested/file', 'mine');
    const checkpoints = here.open();
    const before = await take(checkpoints);
    rmSync(join(here.work, 'nested/file'));
    here.put('nested/.git/marker', 'git’s own');
    const after = await take(checkpoints);
    await revert(checkpoints, {before, after});
    expect(here.read('nested/file')).toBe('mine');
    expect(here.read('nested/.git/marker')).toBe('git’s own');
  });

  test('for this user alone; a damaged one is a fault that says so', async () => {
    using here = place();
    here.put('a', 'one');
    const start = await take(here.open());
    for (const {name, parentPath} of readdirSync(here.folder, {recursive: true, withFileTypes: true})) {
      expect(lstatSync(join(parentPath, name)).mode & 0o077).toBe(0);
    }
    rmSync(join(here.folder, 'objects'), {recursive: true});
    here.put('a', 'two');
    const tried = await here.open().preview([{before: start, after: 'now'}], signal);
    expect(tried).toMatchObject({tag: 'failed', error: {kind: 'needs-user'}});
    expect(here.read('a')).toBe('two');
  });
});

test('a store that takes no objects is a fault that names its folder', async () => {
  using here = place();
  mkdirSync(here.folder);
  writeFileSync(join(here.folder, 'objects'), '');
  expect(await here.open().take(signal)).toEqual({
    tag: 'failed',
    error: {
      kind: 'needs-user',
      message: expect.stringMatching(/^Can't take a checkpoint of the files: /u),
      fix: `Check the folder ${here.folder} and the free disk space.`,
    },
  });
});

test.each([
  ['beside each other', 'one', 'two'],
  ['one of them in the other', '', 'two'],
])('undo covers all folders of a workspace, %s', async (_name, first, second) => {
  using here = place();
  const roots = [join(here.work, first), join(here.work, second)];
  const paths = roots.map(root => join(root, 'a'));
  for (const root of roots) mkdirSync(root, {recursive: true});
  for (const path of paths) writeFileSync(path, 'before');
  const checkpoints = makeCheckpoints({
    roots,
    folder: here.folder,
    environment: {PATH: process.env['PATH'], HOME: here.work},
    now: () => Date.now(),
  });
  const before = await take(checkpoints);
  for (const path of paths) writeFileSync(path, 'after');
  mkdirSync(join(here.work, second, 'made'));
  const after = await take(checkpoints);
  const {report} = await revert(checkpoints, {before, after});
  expect([report.files, report.conflicts]).toEqual([paths.toSorted().map(path => ({path, effect: 'changed'})), []]);
  expect(paths.map(path => readFileSync(path, 'utf8'))).toEqual(['before', 'before']);
  expect(existsSync(join(here.work, second, 'made'))).toBe(false);
});

test('a process that deletes checkpoints stores again what it needs later', async () => {
  using here = place();
  for (let at = 0; at < 12; at += 1) here.put(`d/f${String(at)}`, `text ${String(at)}`);
  const checkpoints = here.open();
  await take(checkpoints);
  expect(await pruneCheckpoints({folder: here.folder, sessions: [], now: Date.now()})).toBe('pruned');
  const before = await take(checkpoints);
  const first = everything(here.work);
  rmSync(join(here.work, 'd'), {recursive: true});
  await revert(checkpoints, {before, after: 'now'});
  expect(everything(here.work)).toEqual(first);
});
