import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import type * as sqlite from 'node:sqlite';
import type {DatabaseSync, StatementSync} from 'node:sqlite';
import {makeFolders} from '../config/make-folders.ts';
import {registerOpenDatabase} from '../config/open-databases.ts';
import {failed, ok, type Outcome, tryOr} from '../base/outcome.ts';
import {type Fault, hasCode, needsUser} from '../domain/fault.ts';
import type {Database, DatabaseOptions, Row, Value} from './database.ts';
import {migrations} from './migrations.ts';
import {isAlive, markProcess, type ProcessMark} from './process-mark.ts';
import {isBusy, storeFault, wrapStoreErrors} from './store-fault.ts';

/**
 * Opens or creates the database `file` for this user alone: the file is 0600, and new folders are 0700. Processes that open it for the
 * first time at once wait for each other. `:memory:` is lost when closed.
 */
export function openSqlite(file: string, options: DatabaseOptions): Outcome<Database, Fault> {
  for (;;) {
    let connection: DatabaseSync | undefined;
    try {
      connection = connect(file);
      connection.exec(
        `PRAGMA busy_timeout = ${String(busyTimeoutMs)}; PRAGMA synchronous = NORMAL; PRAGMA auto_vacuum = INCREMENTAL`,
      );
      if (file !== ':memory:') useWal(connection);
      keepCopy(connection, file);
      const version = migrate(connection);
      if (version <= migrations.length) return ok(makeDatabase(connection, file, options));
      connection.close();
      if (options.readNewer === undefined) return failed(newerSchema(file));
      options.readNewer(`The session database ${file} was made by a newer version of weft. This one only reads it.`);
      connection = new (loadSqlite().DatabaseSync)(file, {readOnly: true});
      connection.exec(`PRAGMA busy_timeout = ${String(busyTimeoutMs)}`);
      return ok(makeDatabase(connection, file, options));
    } catch (cause) {
      closeQuietly(connection);
      if (!isBusy(cause) || !isBeingRebuilt(file)) return failed(storeFault(cause, file));
    }
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
  if (file === ':memory:' || version === 0 || version >= migrations.length) return;
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

/** Brings the schema up to date. Returns its version, which may be newer than the version that this weft knows. */
function migrate(connection: DatabaseSync): number {
  const before = schemaVersion(connection);
  if (before >= migrations.length) return before;
  // A step that reads all records is short if they are in memory. Other processes wait for it, so read them before.
  if (before > 0) connection.prepare("SELECT count(*) FROM records WHERE kind = ''").get();
  return inTransaction(connection, () => {
    const version = schemaVersion(connection);
    for (const step of migrations.slice(version)) connection.exec(step);
    if (version < migrations.length) connection.exec(`PRAGMA user_version = ${String(migrations.length)}`);
    return Math.max(version, migrations.length);
  });
}

const schemaVersion = (connection: DatabaseSync): number => pragma(connection, 'user_version');

function pragma(connection: DatabaseSync, name: string): number {
  const value = connection.prepare(`PRAGMA ${name}`).get()?.[name];
  return typeof value === 'number' ? value : 0;
}

/** The value of `auto_vacuum` in a database that can give back free pages. */
const incremental = 2;

/** The free pages to give back at once: few enough that another process waits only some milliseconds. */
const pagesPerStep = 500;

/**
 * Rebuilds the database `file`, so that it can give back free pages from then on. Does nothing and returns `in-use` if any process has it
 * open, this one included. If weft is killed, the database is as before. Throws a `StoreError`, for example if the disk is full.
 */
export function rebuildSqlite(file: string): 'rebuilt' | 'in-use' {
  return wrapStoreErrors(cause => storeFault(cause, file))(() => {
    if (isBeingRebuilt(file)) return 'in-use';
    const {pid, started, at} = markProcess(process.pid, Date.now());
    writeFileSync(rebuildFile(file), `${String(pid)} ${started} ${String(at)}`, {mode: 0o600});
    const connection = connect(file);
    try {
      // Every open connection holds a shared lock, so that this one fails.
      connection.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
      connection.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
      return 'rebuilt';
    } catch (cause) {
      if (isBusy(cause)) return 'in-use';
      throw cause;
    } finally {
      closeQuietly(connection);
      rmSync(rebuildFile(file), {force: true});
    }
  });
}

/** The file with the mark of the process that rebuilds the database. Other processes can't open the database meanwhile, so they wait. */
const rebuildFile = (file: string): string => `${file}-rebuild`;

function isBeingRebuilt(file: string): boolean {
  if (statSync(rebuildFile(file), {throwIfNoEntry: false}) === undefined) return false;
  const [pid, started = '', at] = readFileSync(rebuildFile(file), 'utf8').split(' ');
  return isAlive({pid: Number(pid), started, at: Number(at)});
}

const newerSchema = (file: string): Fault =>
  needsUser(
    `The session database ${file} was made by a newer version of weft.`,
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
        return {
          bytes: page * pragma(connection, 'page_count'),
          free: page * pragma(connection, 'freelist_count'),
          file: pragma(connection, 'auto_vacuum') === incremental ? 'shrinks' : 'fixed',
        };
      }),
    releaseSpace: () =>
      guarded(() => {
        if (pragma(connection, 'auto_vacuum') !== incremental || pragma(connection, 'freelist_count') === 0) {
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
