import {spawnSync} from 'node:child_process';
import {chmodSync, linkSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {isOpenDatabase} from '../../../src/config/open-databases.ts';
import type {Database} from '../../../src/store/database.ts';
import {openSqlite} from '../../../src/store/sqlite-database.ts';
import {readBytes, readRegularFile} from '../../../src/workspace/files/regular-files.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-sqlite-'));
  return () => rmSync(folder, {recursive: true, force: true});
});

function opened(name: string): Database {
  const database = openSqlite(join(folder, name), {now: () => 0, process});
  if (database.tag === 'failed') throw new Error(database.error.message);
  return database.value;
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
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['new.db-wal', 'old.db-wal', 'target.db-wal']));
  const modes = readdirSync(folder).map(name => (statSync(join(folder, name)).mode & 0o777).toString(8));
  expect(new Set(modes)).toEqual(new Set(['600']));
  for (const each of all) each.close();
});

test('readers leave a database alone as long as this process has it open, under whatever name, and its locks hold', () => {
  const database = opened('weft.db');
  linkSync(join(folder, 'weft.db'), join(folder, 'hard'));
  symlinkSync('weft.db-shm', join(folder, 'soft'));
  const names = ['weft.db', 'weft.db-wal', 'weft.db-shm', 'hard', 'soft'].map(name => join(folder, name));
  database.transaction('x', () => {
    expect(names.filter(name => !isOpenDatabase(name))).toEqual([]);
    expect(names.filter(name => readRegularFile(name, 1_000_000) !== undefined)).toEqual([]);
    expect(names.map(readBytes)).toEqual(names.map(() => ({kind: 'unreadable'})));
    expect(isFree(join(folder, 'weft.db'))).toBe(false);
  });
  writeFileSync(join(folder, 'weft.db-notes'), '');
  expect(isOpenDatabase(join(folder, 'weft.db-notes'))).toBe(false);
  expect(isFree(join(folder, 'weft.db'))).toBe(true);
  database.close();
});
