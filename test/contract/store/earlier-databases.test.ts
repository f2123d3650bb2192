import {hash} from 'node:crypto';
import {mkdirSync, readdirSync, statSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {Client} from 'pg';
import {describe, expect, test} from 'vitest';
import {latestVersion, postgresSchema, sqliteSchema} from '../../../src/store/migrations.ts';
import {openPostgres} from '../../../src/store/postgres/postgres-database.ts';
import {openSqlite} from '../../../src/store/sqlite-database.ts';
import {openDatabase} from './open-database.ts';
import {onEachDatabase, temporaryFile} from './temporary-store.ts';

const schemaOf = (file: DatabaseSync): unknown =>
  file.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all();

test('the schema of weft 1.0.0-rc.1 never changes', () => {
  expect([sqliteSchema, postgresSchema].map(({released, steps}) => [released, hash('sha256', steps[0])])).toEqual([
    [13, '07a2a19246ec09a3a07fb6f6a1365088c4de4b8f9633ce3d7343bfc220e261ad'],
    [8, '0d9e056843f03cb41a68f4f79612d00556769a81704529251e45b963ce3214ed'],
  ]);
});

const steps = sqliteSchema.steps.map((_step, at) => at);

/** Makes the database of a weft whose schema took `count` of the steps. */
function makeEarlier(name: string, count: number): DatabaseSync {
  mkdirSync(dirname(name), {recursive: true});
  const file = new DatabaseSync(name);
  for (const step of sqliteSchema.steps.slice(0, count)) file.exec(step);
  file.exec(`PRAGMA user_version = ${String(sqliteSchema.released + count - 1)}; PRAGMA journal_mode = WAL`);
  return file;
}

describe.each(steps.slice(1))('a database of step %i', count => {
  test('becomes the current one, and a copy that the released weft can open stays', () => {
    using temporary = temporaryFile();
    const file = makeEarlier(temporary.file, count);
    const before = schemaOf(file);
    file.close();
    openDatabase(temporary.file).close();

    const current = new DatabaseSync(':memory:');
    for (const step of sqliteSchema.steps) current.exec(step);
    using migrated = new DatabaseSync(temporary.file, {readOnly: true});
    const version = sqliteSchema.released + count - 1;
    expect([schemaOf(migrated), migrated.prepare('PRAGMA user_version').get()]).toEqual([
      schemaOf(current),
      {user_version: latestVersion(sqliteSchema)},
    ]);
    const earlier = join(dirname(temporary.file), 'earlier');
    const copy = join(earlier, `weft-v${String(version)}.db`);
    using copied = new DatabaseSync(copy, {readOnly: true});
    expect([schemaOf(copied), copied.prepare('PRAGMA user_version').get()]).toEqual([before, {user_version: version}]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(earlier)).toEqual([basename(copy)]);
  });
});

onEachDatabase(database => {
  test('a database from before the first release is left alone', async () => {
    const options = {now: Date.now, process, readNewer: () => {}};
    const message = expect.stringContaining('was made by weft before its first release.');
    if (database.name.startsWith('postgres:')) {
      const client = new Client({connectionString: database.name});
      await client.connect();
      await client.query('CREATE SCHEMA weft; CREATE TABLE weft.schema_version AS SELECT 7::bigint AS version');
      expect(openPostgres(database.name, options)).toMatchObject({tag: 'failed', error: {message}});
      await client.end();
      return;
    }
    const file = makeEarlier(database.name, 0);
    expect(openSqlite(database.name, options)).toMatchObject({tag: 'failed', error: {message}});
    expect([schemaOf(file), readdirSync(dirname(database.name)).includes('earlier')]).toEqual([[], false]);
    file.close();
  });
});
