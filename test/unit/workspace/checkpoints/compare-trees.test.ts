import {rmSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {OpenTreeChange} from '../../../../src/domain/checkpoint.ts';
import {makeCheckpoints} from '../../../../src/workspace/checkpoints/make-checkpoints.ts';
import {place, take} from './checkpoint-place.ts';

const {signal} = new AbortController();

/** Compares in another process's stead: with what is on the disk alone. */
async function compare(here: ReturnType<typeof place>, ...changes: readonly OpenTreeChange[]) {
  const {work, folder} = here;
  const checkpoints = makeCheckpoints({roots: [work], folder, environment: process.env, now: () => Date.now()});
  const compared = await checkpoints.compare(changes, signal);
  if (compared.tag === 'failed') throw new Error(compared.error.message);
  const {files, ...rest} = compared.value;
  return {
    ...rest,
    files: files.map(({path, before, after, added, removed, notes}) => [
      path.slice(work.length + 1),
      `${before} → ${after}`,
      `+${added} -${removed}`,
      ...notes,
    ]),
  };
}

test('files are compared before the first and after the last change, without what is the same again', async () => {
  using here = place();
  here.put('a', 'one\ntwo\n');
  here.put('b', 'same\n');
  here.put('bin', new Uint8Array([0, 1]));
  here.put('gone', 'gone\n');
  here.put('mode', 'x\n');
  here.put('own', 'mine\n');
  const checkpoints = here.open();
  const first = await take(checkpoints);
  here.put('a', 'one\n2\n');
  here.put('b', 'changed\n');
  here.put('bin', new Uint8Array([0, 2]));
  rmSync(join(here.work, 'gone'));
  const second = await take(checkpoints);
  here.put('own', 'yours\n');
  const third = await take(checkpoints);
  here.put('a', 'one\n2\nthree\n');
  here.put('b', 'same\n');
  here.put('mode', 'x\n', 0o755);
  here.put('new/deep', 'new\n');
  symlinkSync('a', join(here.work, 'link'));
  const changed = [
    ['a', 'present → present', '+2 -1'],
    ['bin', 'present → present', '+0 -0', 'binary file'],
    ['gone', 'present → absent', '+0 -1'],
    ['link', 'absent → present', '+1 -0', 'link'],
    ['mode', 'present → present', '+0 -0', 'mode 644 → 755'],
    ['new/deep', 'absent → present', '+1 -0'],
  ];
  const rest = {more: 0, coverage: 'all files'};
  expect(await compare(here, {before: first, after: second}, {before: third, after: 'now'})).toEqual({
    ...rest,
    files: changed,
  });
  expect(await compare(here, {before: first, after: 'now'})).toEqual({
    ...rest,
    files: [...changed, ['own', 'present → present', '+1 -1']],
  });
});
