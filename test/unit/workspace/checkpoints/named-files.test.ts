import {execFileSync} from 'node:child_process';
import {mkdirSync, rmSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {CheckpointsPort, TreeId} from '../../../../src/domain/checkpoint.ts';
import {everything, place, revert} from './checkpoint-place.ts';

const {signal} = new AbortController();

async function takePaths(checkpoints: CheckpointsPort, ...paths: readonly string[]): Promise<TreeId> {
  const taken = await checkpoints.take(signal, paths);
  if (taken.tag === 'failed' || taken.value === 'off') throw new Error('not taken');
  return taken.value;
}

test('a checkpoint of named files reverts these, and nothing else', async () => {
  using here = place();
  here.put('d/a', 'a', 0o755);
  here.put('b', 'b');
  here.put('other', 'other');
  symlinkSync('b', join(here.work, 'link'));
  const at = (...names: readonly string[]): readonly string[] => names.map(name => join(here.work, name));
  const was = everything(here.work);
  const checkpoints = here.open();
  const first = await takePaths(checkpoints, ...at('d/a'));
  here.put('d/a', 'changed');
  const second = await takePaths(checkpoints, ...at('link', 'new/folder/file'));
  here.put('b', 'changed');
  here.put('new/folder/file', 'new');
  here.put('other', 'changed by others');
  const changed = everything(here.work);
  const {change, report} = await revert(here.open(), {
    before: first,
    after: 'now',
    more: {before: [second], after: []},
  });
  const other = everything(here.work)['other'];
  expect(everything(here.work)).toEqual({...was, other});
  expect(report.files.map(({path, effect}) => [path.slice(here.work.length + 1), effect])).toEqual([
    ['b', 'changed'],
    ['d/a', 'changed'],
    ['new/folder/file', 'deleted'],
  ]);
  await revert(here.open(), change);
  expect(everything(here.work)).toEqual(changed);
});

test('after named files, a look at everything covers the rest', async () => {
  using here = place();
  here.git('init', '-q');
  here.put('a', 'a');
  here.put('b', 'b');
  here.git('add', '.');
  const was = everything(here.work);
  const checkpoints = here.open();
  const first = await takePaths(checkpoints, join(here.work, 'a'));
  here.put('a', 'edited');
  const all = await checkpoints.take(signal);
  if (all.tag === 'failed' || all.value === 'off') throw new Error('not taken');
  rmSync(join(here.work, 'a'));
  here.put('b', 'command');
  here.put('c', 'command');
  const after = await checkpoints.take(signal);
  if (after.tag === 'failed' || after.value === 'off') throw new Error('not taken');
  await revert(here.open(), {before: first, after: after.value, more: {before: [all.value], after: []}});
  expect(everything(here.work)).toEqual(was);
});

test('a path that the next prompt does not name is as it is now', async () => {
  using here = place();
  here.put('a', 'a');
  here.put('b', 'b');
  const was = everything(here.work);
  const checkpoints = here.open();
  const first = await takePaths(checkpoints, join(here.work, 'a'));
  here.put('a', 'A');
  const next = await takePaths(checkpoints, join(here.work, 'b'));
  here.put('b', 'B');
  await revert(here.open(), {before: next, after: 'now'}, {before: first, after: next});
  expect(everything(here.work)).toEqual(was);
});

test('named files cost no look at git or at other folders', async () => {
  using here = place();
  here.git('init', '-q');
  mkdirSync(join(here.work, 'unreadable'), {mode: 0});
  here.put('.gitignore', 'ignored\n');
  here.put('ignored', 'first');
  execFileSync('mkfifo', [join(here.work, '.git/index')]);
  const checkpoints = here.open();
  const before = await takePaths(checkpoints, join(here.work, 'ignored'), join(here.work, '.git/config'));
  here.put('ignored', 'second');
  const {report} = await revert(checkpoints, {before, after: 'now'});
  expect([here.read('ignored'), report.excluded, report.files.length]).toEqual(['first', [], 1]);
});
