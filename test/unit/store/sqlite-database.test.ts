import {spawnSync} from 'node:child_process';
import {chmodSync, linkSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {isOpenDatabase} from '../../../src/config/open-databases.ts';
import {sqlitePlace} from '../../../src/store/sqlite-database.ts';
import {readBytes, readRegularFile} from '../../../src/workspace/files/regular-files.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-sqlite-'));
  return () => rmSync(folder, {recursive: true, force: true});
});

function opened(name: string): Disposable {
  const database = sqlitePlace(join(folder, name), '').open({now: () => 0, process});
  if (database.tag === 'failed') throw new Error(database.error.message);
  return {[Symbol.dispose]: () => database.value.close()};
}

/** Whether another process gets the lock of a file. */
function isFree(file: string): boolean {
  const take = "new (process.getBuiltinModule('node:sqlite').DatabaseSync)(process.argv[1]).exec('BEGIN EXCLUSIVE')";
  return spawnSync(process.execPath, ['--no-warnings', '-e', take, file]).status === 0;
}

test('a database is for this user alone, also one that was for others and one behind a link that led nowhere', () => {
  writeFileSync(join(folder, 'old.db'), '');
  chmodSync(join(folder, 'old.db'), 0o644);
  symlinkSync('target.db', join(folder, 'link.db'));
  const all = ['new.db', 'old.db', 'link.db'].map(opened);
  const lock = sqlitePlace('', join(folder, 'run.lock')).takeRunLock();
  expect(readdirSync(folder)).toEqual(
    expect.arrayContaining(['new.db-wal', 'old.db-wal', 'target.db-wal', 'run.lock']),
  );
  const modes = readdirSync(folder).map(name => (statSync(join(folder, name)).mode & 0o777).toString(8));
  expect(new Set(modes)).toEqual(new Set(['600']));
  if (lock.tag === 'ok') lock.value.release();
  for (const each of all) each[Symbol.dispose]();
});

test('readers leave a database alone as long as this process has it open, under whatever name, and the lock holds', () => {
  const place = sqlitePlace(join(folder, 'weft.db'), join(folder, 'run.lock'));
  using _ = opened('weft.db');
  const lock = place.takeRunLock();
  expect(place.takeRunLock()).toEqual({tag: 'failed', error: 'held-elsewhere'});
  linkSync(join(folder, 'run.lock'), join(folder, 'hard'));
  symlinkSync('weft.db-shm', join(folder, 'soft'));
  const names = ['weft.db', 'weft.db-wal', 'weft.db-shm', 'run.lock', 'hard', 'soft'].map(name => join(folder, name));
  expect(names.filter(name => !isOpenDatabase(name))).toEqual([]);
  expect(names.filter(name => readRegularFile(name, 1_000_000) !== undefined)).toEqual([]);
  expect(names.map(readBytes)).toEqual(names.map(() => ({kind: 'unreadable'})));
  expect(isFree(join(folder, 'run.lock'))).toBe(false);
  writeFileSync(join(folder, 'weft.db-notes'), '');
  expect(isOpenDatabase(join(folder, 'weft.db-notes'))).toBe(false);
  if (lock.tag === 'ok') lock.value.release();
  expect(isFree(join(folder, 'run.lock'))).toBe(true);
});
