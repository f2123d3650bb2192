import {chmodSync, mkdirSync, rmSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {changesText} from '../../../../src/actions/changes-port.ts';
import {place} from './checkpoint-place.ts';

const {signal} = new AbortController();

test('what has changed since: files made, changed and gone, links, permissions; folders are not named', async () => {
  using here = place();
  here.git('init', '-q');
  here.put('src/kept', 'a\nb\nc\n');
  here.put('src/gone', 'x\n');
  here.put('run.sh', '#!/bin/sh\n');
  here.put('same', 'same\n');
  here.git('add', 'src', 'same');
  const changed = await here.open().watch(signal);
  here.put('src/kept', 'a\nB\nc\nd\n');
  rmSync(join(here.work, 'src/gone'));
  chmodSync(join(here.work, 'run.sh'), 0o755);
  here.put('large', Buffer.alloc(1_100_000, 'y'));
  here.put('binary', Buffer.from([0, 1, 255, 0]));
  mkdirSync(join(here.work, 'empty'));
  symlinkSync('src/kept', join(here.work, 'link'));
  // Staged, the same content goes by another name.
  here.git('add', 'run.sh');
  const {files, more} = await changed(signal);
  expect(more).toBe(0);
  expect(
    files.map(({path, before, after, added, removed, notes}) => [
      path,
      before === 'absent',
      after === 'absent',
      added,
      removed,
      notes,
    ]),
  ).toEqual([
    ['binary', true, false, 0, 0, []],
    ['large', true, false, 0, 0, ['it is too large to be shown']],
    ['link', true, false, 1, 0, ['it is a symbolic link']],
    ['run.sh', false, false, 0, 0, ['its permissions are 755 now, they were 644']],
    ['src/gone', false, true, 0, 1, []],
    ['src/kept', false, false, 2, 1, []],
  ]);
  expect(files.at(-1)?.hunks).toMatchObject([{oldStart: 1, newStart: 1}]);
});

test('nothing has changed where nothing did; of very many files the first ones are shown', async () => {
  using here = place();
  here.put('a', 'a');
  const checkpoints = here.open();
  expect(await (await checkpoints.watch(signal))(signal)).toEqual({files: [], more: 0});
  const changed = await checkpoints.watch(signal);
  for (let at = 0; at < 60; at += 1) here.put(`f${String(at).padStart(2, '0')}`, 'x\n');
  const changes = await changed(signal);
  expect([changes.files.length, changes.more]).toEqual([50, 10]);
  expect(changesText(changes)).toMatch(/^it changed f00 \(\+1 -0\), .*, f09 \(\+1 -0\) and 50 more files$/u);
});
