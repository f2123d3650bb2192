import {chmodSync, closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type * as sqlite from 'node:sqlite';
import type {DatabaseSync, StatementSync} from 'node:sqlite';
import {makeFolders} from '../config/make-folders.ts';
import {registerOpenDatabase} from '../config/open-databases.ts';
import {failed, ok, type Outcome, tryOr} from '../base/outcome.ts';
import {type Fault, hasCode, needsUser} from '../domain/fault.ts';
import type {Database, DatabaseOptions, Row, Value} from './database.ts';
import {latestVersion, makerOf, sqliteSchema, stepsFrom} from './migrations.ts';
import {isAlive, markProcess, type ProcessMark} from './process-mark.ts';
import {isBusy, storeFault, wrapStoreErrors} from './store-fault.ts';

/**
 * Opens or creates the database `file` for this user alone: the file is 0600, and new folders are 0700. Processes that open it for the
 * first time at once wait for each other. `:memory:` is lost when closed.
 */
export function openSqlite(file: string, options: DatabaseOptions): Outcome<Database, Fault> {
  let connection: DatabaseSync | undefined;
  try {
    connection = connect(file);
    connection.exec(
      `PRAGMA busy_timeout = ${String(busyTimeoutMs)}; PRAGMA synchronous = NORMAL; PRAGMA auto_vacuum = INCREMENTAL`,
    );
    if (file !== ':memory:') useWal(connection);
    keepCopy(connection, file);
    const version = migrate(connection);
    if (version === latestVersion(sqliteSchema)) return ok(makeDatabase(connection, file, options));
    connection.close();
    const madeBy = makerOf(version, sqliteSchema);
    if (options.readNewer === undefined || version < sqliteSchema.released) return failed(unknownSchema(file, madeBy));
    options.readNewer(`The session database ${file} was made by ${madeBy}. This one only reads it.`);
    connection = new (loadSqlite().DatabaseSync)(file, {readOnly: true});
    connection.exec(`PRAGMA busy_timeout = ${String(busyTimeoutMs)}`);
    return ok(makeDatabase(connection, file, options));
  } catch (cause) {
    closeQuietly(connection);
    return failed(storeFault(cause, file));
  }
}

/**
 * Loads Node's own SQLite on first use. Node 22 warns at load that SQLite is experimental, which doesn't help users. Only that warning is
 * suppressed while the module loads.
 */
export function loadSqlite(): typeof sqlite {
  // oxlint-disable-next-line typescript/unbound-method -- put back as it was, and called on `process`
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    const message = typeof warning === 'string' ? warning : warning.message;
    if (!message.startsWith('SQLite is an experimental feature'))
      Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Milliseconds that a statement waits for another process before it fails. */
const busyTimeoutMs = 5000;

/** Connects to `file`, which only this user can read. */
function connect(file: string): DatabaseSync {
  const {DatabaseSync} = loadSqlite();
  if (file === ':memory:') return new DatabaseSync(file);
  makeFolders(dirname(file));
  if (statSync(file, {throwIfNoEntry: false}) === undefined) makePrivateFile(file);
  const connection = new DatabaseSync(file);
  registerOpenDatabase(file);
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  return connection;
}

/** Never opens an existing file, because closing it would release all locks that this process holds on it. */
function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (cause) {
    // Another process just created the file, or the path is a link to a file that SQLite creates.
    if (!hasCode(cause, 'EEXIST')) throw cause;
  }
}

/**
 * Switches to WAL. SQLite doesn't wait by itself if two processes switch at once. On a file system without WAL, SQLite stays with the
 * rollback journal, which is just as safe but slower.
 */
function useWal(connection: DatabaseSync): void {
  for (let waitedMs = 0; ; waitedMs += 10) {
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (cause) {
      if (!isBusy(cause) || waitedMs >= busyTimeoutMs) throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** The folder with the copies of the database `file`, one for each version of its schema. */
const copiesOf = (file: string): string => join(dirname(file), 'earlier');

/** Keeps a copy of a database that will be migrated, so that an earlier weft can go on with it. Older copies are deleted. */
function keepCopy(connection: DatabaseSync, file: string): void {
  const version = schemaVersion(connection);
  if (file === ':memory:' || version === 0 || (stepsFrom(version, sqliteSchema) ?? []).length === 0) return;
  const copy = join(copiesOf(file), `weft-v${String(version)}.db`);
  const part = `${copy}.${String(process.pid)}`;
  makeFolders(copiesOf(file));
  rmSync(part, {force: true});
  makePrivateFile(part);
  try {
    connection.prepare('VACUUM INTO ?').run(part);
    // Otherwise another process has migrated the database before it was copied.
    if (schemaVersion(connection) !== version) return;
    removeCopies(file, Date.now());
    renameSync(part, copy);
  } finally {
    rmSync(part, {force: true});
  }
}

/** Deletes the copies of the database `file` that are older than `time`. */
export function removeCopies(file: string, time: number): void {
  const folder = copiesOf(file);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter(each => /^weft-v\d+\.db$/u.test(each)))
    if (statSync(join(folder, name)).mtimeMs < time) rmSync(join(folder, name), {force: true});
}

/** Brings the schema up to date. Returns its version, which this weft may not know. */
function migrate(connection: DatabaseSync): number {
  const before = schemaVersion(connection);
  if ((stepsFrom(before, sqliteSchema) ?? []).length === 0) return before;
  // A step that reads all records is short if they are in memory. Other processes wait for it, so read them before.
  if (before > 0) connection.prepare("SELECT count(*) FROM records WHERE kind = ''").get();
  return inTransaction(connection, () => {
    for (const step of stepsFrom(schemaVersion(connection), sqliteSchema) ?? []) connection.exec(step);
    const latest = latestVersion(sqliteSchema);
    if (schemaVersion(connection) < latest) connection.exec(`PRAGMA user_version = ${String(latest)}`);
    return schemaVersion(connection);
  });
}

const schemaVersion = (connection: DatabaseSync): number => pragma(connection, 'user_version');

function pragma(connection: DatabaseSync, name: string): number {
  const value = connection.prepare(`PRAGMA ${name}`).get()?.[name];
  return typeof value === 'number' ? value : 0;
}

/** The free pages to give back at once: few enough that another process waits only some milliseconds. */
const pagesPerStep = 500;

const unknownSchema = (file: string, madeBy: string): Fault =>
  needsUser(
    `The session database ${file} was made by ${madeBy}.`,
    'Update weft, or choose another folder with WEFT_HOME=<dir>.',
  );

function makeDatabase(connection: DatabaseSync, file: string, {now, process: own}: DatabaseOptions): Database {
  let mark: ProcessMark | undefined;
  let isClosed = false;
  const guarded = wrapStoreErrors(cause => storeFault(cause, file));
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const made = connection.prepare(sql);
    prepared.set(sql, made);
    return made;
  };
  return {
    all: (sql: string, ...values: Value[]): readonly Row[] => guarded(() => statement(sql).all(...values)),
    first: (sql, ...values) => guarded(() => statement(sql).get(...values)),
    run: (sql, ...values) => void guarded(() => statement(sql).run(...values)),
    // One process writes at a time, whatever the lock name.
    transaction: (_about, work) => guarded(() => inTransaction(connection, work)),
    mark: () => (mark ??= markProcess(own.pid, Math.trunc(now()))),
    isAlive,
    space: () =>
      guarded(() => {
        const page = pragma(connection, 'page_size');
        return {bytes: page * pragma(connection, 'page_count'), free: page * pragma(connection, 'freelist_count')};
      }),
    releaseSpace: () =>
      guarded(() => {
        if (pragma(connection, 'freelist_count') === 0) {
          connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
          return 'done';
        }
        connection.exec(`PRAGMA incremental_vacuum(${String(pagesPerStep)})`);
        return 'more';
      }),
    close() {
      if (!isClosed) connection.close();
      isClosed = true;
    },
  };
}

function inTransaction<T>(connection: DatabaseSync, work: () => T): T {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const value = work();
    connection.exec('COMMIT');
    return value;
  } catch (cause) {
    // After some errors, such as a full disk, SQLite has already rolled back, and a second rollback would fail.
    tryOr(() => connection.exec('ROLLBACK'), undefined);
    throw cause;
  }
}

/** Closes a connection that already failed, and keeps the first error. */
const closeQuietly = (connection: DatabaseSync | undefined): void => tryOr(() => connection?.close(), undefined);
