import {rmSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {makeCheckpoints} from '../../../../src/workspace/checkpoints/make-checkpoints.ts';
import {openObjects} from '../../../../src/workspace/checkpoints/object-store.ts';
import {emptyTable, type FolderRecord} from '../../../../src/workspace/checkpoints/folder-table.ts';
import {scanWorkspace} from '../../../../src/workspace/checkpoints/scan-workspace.ts';
import {everything, place, revert, take} from './checkpoint-place.ts';

const {signal} = new AbortController();

/** A checkpoint trusts no file that was changed just now: by this clock, none was. */
const now = (): number => Date.now() + 10_000;

/** A store that tells which files it was to read since it was asked the last time. */
function readingStore(here: ReturnType<typeof place>) {
  const objects = openObjects(join(here.folder, 'objects'), {});
  const read: string[] = [];
  const putFile = (path: string): string => {
    read.push(path.slice(here.work.length + 1));
    return objects.putFile(path);
  };
  const environment = {PATH: process.env['PATH']};
  const scanned = {roots: [here.work], excluded: new Set<string>(), objects: {...objects, putFile}, environment};
  return {place: scanned, read: (): readonly string[] => read.splice(0).toSorted()};
}

describe('looking ahead', () => {
  test('reads what git does not hold, and only what has changed is read again', async () => {
    using here = place();
    here.git('init', '-q');
    here.put('tracked.txt', 'tracked\n');
    utimesSync(join(here.work, 'tracked.txt'), 1, 1);
    here.git('add', '.');
    here.git('commit', '-qm', 'all');
    here.put('new/a.txt', 'a\n');
    here.put('new/b.txt', 'b\n');
    const store = readingStore(here);
    const done = new Map<string, FolderRecord>();
    await scanWorkspace(store.place, {table: emptyTable, changed: 'unknown', now, done}, signal);
    expect(store.read()).toEqual(['new/a.txt', 'new/b.txt']);
    const was = statSync(join(here.work, 'new/a.txt'));
    writeFileSync(join(here.work, 'new/a.txt'), 'A\n');
    utimesSync(join(here.work, 'new/a.txt'), was.atime, was.mtime);
    here.put('new/c.txt', 'c\n');
    await scanWorkspace(store.place, {table: {...emptyTable, folders: done}, changed: 'unknown', now}, signal);
    expect(store.read()).toEqual(['new/a.txt', 'new/c.txt']);
  });

  test('what was read within the last moments counts for nothing', async () => {
    using here = place();
    here.put('a.txt', 'a\n');
    const store = readingStore(here);
    const done = new Map<string, FolderRecord>();
    await scanWorkspace(store.place, {table: emptyTable, changed: 'unknown', now: Date.now, done}, signal);
    await scanWorkspace(
      store.place,
      {table: {...emptyTable, folders: done}, changed: 'unknown', now: Date.now},
      signal,
    );
    expect(store.read()).toEqual(['a.txt', 'a.txt']);
  });

  test.each(['to its end', 'given up in the middle', 'given up by the prompt'] as const)(
    '%s: the checkpoint is what it would have been without',
    {tags: 'long'},
    async how => {
      using here = place();
      for (let at = 0; at < 60; at += 1) here.put(`d${at % 6}/f${at}`, `first ${at}\n`);
      const [plain, ahead] = ['plain', 'ahead'].map(name =>
        makeCheckpoints({
          roots: [here.work],
          folder: join(here.folder, name),
          environment: {PATH: process.env['PATH']},
          now,
        }),
      );
      if (plain === undefined || ahead === undefined) throw new Error('two were made');
      const stop = new AbortController();
      const looking = ahead.prefetch(stop.signal);
      if (how === 'to its end') await looking;
      if (how === 'given up by the prompt') stop.abort();
      for (let at = 0; at < 60; at += 7) here.put(`d${at % 6}/f${at}`, `First ${at}\n`);
      const first = everything(here.work);
      const before = await take(ahead);
      await looking;
      expect(before).toBe(await take(plain));
      rmSync(join(here.work, 'd0'), {recursive: true});
      here.put('d1/f1', 'changed');
      await ahead.prefetch(signal);
      const {change} = await revert(ahead, {before, after: 'now'});
      expect(everything(here.work)).toEqual(first);
      await revert(ahead, change);
      expect(here.read('d1/f1')).toBe('changed');
    },
  );
});
