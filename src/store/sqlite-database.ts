import {chmodSync, closeSync, openSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import type * as sqlite from 'node:sqlite';
import type {DatabaseSync, StatementSync} from 'node:sqlite';
import {makeFolders} from '../config/make-folders.ts';
import {keepFromReaders} from '../config/open-databases.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {type Fault, hasCode} from '../domain/fault.ts';
import type {Database, DatabaseOptions, Row, Value} from './database.ts';
import {migrations} from './migrations.ts';
import {isAlive, markProcess, type ProcessMark} from './process-start.ts';
import {isBusy, storeFault, throwing} from './store-fault.ts';

/**
 * Opens or makes the database `file` for this user alone: the file is 0600, and folders made for it are 0700. Processes that open it for
 * the first time at once wait for each other. `:memory:` is gone afterwards.
 */
export function openSqlite(file: string, options: DatabaseOptions): Outcome<Database, Fault> {
  let connection: DatabaseSync | undefined;
  try {
    connection = connect(file);
    connection.exec(`PRAGMA busy_timeout = ${String(busyTimeoutMs)}; PRAGMA synchronous = NORMAL`);
    if (file !== ':memory:') useWal(connection);
    const version = migrate(connection);
    if (version <= migrations.length) return ok(asDatabase(connection, file, options));
    connection.close();
    return failed(newerSchema(file));
  } catch (cause) {
    closeQuietly(connection);
    return failed(storeFault(cause, file));
  }
}

/**
 * Node's own SQLite, loaded where it is first needed. Node 22 says at load that it is experimental, which is no business of a
 * user of weft: that one warning is held back while the module loads, all others pass.
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

/** How long a statement waits for another process before it fails. */
const busyTimeoutMs = 5000;

/** Connects to `file`, which only this user can read. */
function connect(file: string): DatabaseSync {
  const {DatabaseSync} = loadSqlite();
  if (file === ':memory:') return new DatabaseSync(file);
  makeFolders(dirname(file));
  if (statSync(file, {throwIfNoEntry: false}) === undefined) makePrivateFile(file);
  const connection = new DatabaseSync(file);
  keepFromReaders(file);
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  return connection;
}

/** Never opens a file that exists, because closing it would end all locks that this process holds on it. */
function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (cause) {
    // Another process made the file at this moment, or the path is a link to a file that SQLite makes.
    if (!hasCode(cause, 'EEXIST')) throw cause;
  }
}

/**
 * The switch to WAL is the one step for which SQLite does not wait by itself when two processes do it at once. Where a file
 * system has no WAL, the rollback journal that SQLite stays with keeps the same promises, only slower.
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

/** Brings the schema up to date; the version found where it is newer than ours. */
function migrate(connection: DatabaseSync): number {
  if (schemaVersion(connection) >= migrations.length) return schemaVersion(connection);
  return inTransaction(connection, () => {
    const version = schemaVersion(connection);
    for (const step of migrations.slice(version)) connection.exec(step);
    if (version < migrations.length) connection.exec(`PRAGMA user_version = ${String(migrations.length)}`);
    return Math.max(version, migrations.length);
  });
}

function schemaVersion(connection: DatabaseSync): number {
  const version = connection.prepare('PRAGMA user_version').get()?.['user_version'];
  return typeof version === 'number' ? version : 0;
}

const newerSchema = (file: string): Fault => ({
  kind: 'needs-user',
  message: `The session database ${file} was made by a newer version of weft.`,
  fix: 'Update weft, or choose another folder with WEFT_HOME=<dir>.',
});

function asDatabase(connection: DatabaseSync, file: string, {now, process: own}: DatabaseOptions): Database {
  let mark: ProcessMark | undefined;
  let isClosed = false;
  const guarded = throwing(cause => storeFault(cause, file));
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
    // One process writes at a time, whatever it is about.
    transaction: (_about, work) => guarded(() => inTransaction(connection, work)),
    mark: () => (mark ??= markProcess(own.pid, Math.trunc(now()))),
    isAlive,
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
    rollBack(connection);
    throw cause;
  }
}

/** After some errors, a full disk among them, SQLite has already rolled back and a second time is an error of its own. */
function rollBack(connection: DatabaseSync): void {
  try {
    connection.exec('ROLLBACK');
  } catch {
    return;
  }
}

/** For a connection that already failed: the first trouble is the one to tell. */
function closeQuietly(connection: DatabaseSync | undefined): void {
  try {
    connection?.close();
  } catch {
    return;
  }
}
