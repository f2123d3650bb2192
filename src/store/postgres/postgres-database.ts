import {createHash, randomInt} from 'node:crypto';
import {hostname} from 'node:os';
import {failed, ok, type Outcome, tryOr} from '../../base/outcome.ts';
import {causeText, type Fault, needsUser} from '../../domain/fault.ts';
import type {Database, DatabaseOptions, Row, Value} from '../database.ts';
import {isSameProcess, type ProcessMark} from '../process-mark.ts';
import {lockedText, StoreError, wrapStoreErrors} from '../store-fault.ts';
import {type Answer, runStatement, PostgresError} from './connection-thread.ts';
import {foreignSchemaCode, foreignSchemaFault} from './owned-schema.ts';
import {postgresMigrations} from './postgres-migrations.ts';

/**
 * Opens the user's data in a Postgres database, in a separate schema. The store expects a synchronous database, and the
 * engine expects that data is stored once handed over. So this thread blocks while another one talks to the server. A
 * process has one connection, however often it opens the database.
 */
export function openPostgres(url: string, options: DatabaseOptions): Outcome<Database, Fault> {
  if (!/^postgres(?:ql)?:\/\//u.test(url))
    return failed(
      needsUser(
        'The address of the store is invalid.',
        'Use sqlite, or an address like postgres://user@host/database.',
      ),
    );
  const link = new Connection(url);
  const faultOf = (cause: unknown): Fault =>
    cause instanceof StoreError ? cause.fault : postgresFault(cause, shownAddress(url));
  try {
    migrate(link);
    return ok(makeDatabase(link, options, wrapStoreErrors(faultOf)));
  } catch (cause) {
    return failed(faultOf(cause));
  }
}

/** Classes of advisory locks. One shows other processes that a process is alive; the other serializes changes. */
const lockClass = {process: 0x77_65_66_74, change: 0x77_65_66_76} as const;

/** The mark of this process on a connection. After a lost connection it needs a new mark, because others may have taken over the work of this process. */
const marks = new Map<string, {readonly connection: string; readonly mark: ProcessMark}>();

class Connection {
  readonly #url: string;
  #lastConnection = '';
  /** The connection that the next statement must use. */
  #requiredConnection = 'any';
  /** The statement that begins the transaction. It is sent together with the first one, which saves a round trip. */
  #begin = '';

  constructor(url: string) {
    this.#url = url;
  }

  run(sql: string, values: readonly Value[] = []): Answer {
    const begin = this.#begin;
    const answer = runStatement({url: this.#url, begin, sql, values, requiredConnection: this.#requiredConnection});
    this.#lastConnection = answer.connection;
    if (begin !== '') this.#requiredConnection = answer.connection;
    this.#begin = '';
    return answer;
  }

  /** Runs all of `work` or none of it. Others with the same `lockName` wait. */
  transaction<T>(about: string, work: () => T): T {
    this.#begin = `BEGIN; SELECT pg_advisory_xact_lock(${String(lockClass.change)}, ${String(lockKeyOf(about))})`;
    try {
      const value = work();
      if (this.#begin === '') this.run('COMMIT');
      return value;
    } catch (cause) {
      this.#begin = '';
      // After a lost connection there is nothing to roll back.
      tryOr(() => this.run('ROLLBACK'), undefined);
      throw cause;
    } finally {
      this.#requiredConnection = 'any';
      this.#begin = '';
    }
  }

  /** Takes the lock that represents this process, unless the process holds it already. */
  mark({now, process: {pid}}: DatabaseOptions): ProcessMark {
    if (this.#begin !== '') this.run('SELECT 1');
    const known = marks.get(this.#url);
    if (known !== undefined && known.connection === this.#lastConnection) return known.mark;
    const key = randomInt(1, 2 ** 31 - 1);
    const {connection} = this.run('SELECT pg_advisory_lock(?, ?)', [lockClass.process, key]);
    const mark = {pid, started: `postgres:${String(key)}:${hostname()}`, at: Math.trunc(now())};
    marks.set(this.#url, {connection, mark});
    return mark;
  }

  isAlive({started}: ProcessMark): boolean {
    const [kind, key] = started.split(':');
    if (kind !== 'postgres' || !/^\d+$/u.test(key ?? '')) return false;
    const {rows} = this.run(
      `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = ? AND objid = ?
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [lockClass.process, Number(key)],
    );
    return rows.length > 0;
  }
}

function makeDatabase(
  link: Connection,
  options: DatabaseOptions,
  guarded: ReturnType<typeof wrapStoreErrors>,
): Database {
  const rows = (sql: string, values: readonly Value[]): readonly Row[] => guarded(() => link.run(sql, values).rows);
  return {
    all: (sql, ...values) => rows(sql, values),
    first: (sql, ...values) => rows(sql, values)[0],
    run: (sql, ...values) => void rows(sql, values),
    transaction: (about, work) => guarded(() => link.transaction(about, work)),
    mark: () => guarded(() => link.mark(options)),
    isAlive: mark => guarded(() => isSameProcess(mark, link.mark(options)) || link.isAlive(mark)),
    space: () => {
      const [row] = rows(
        `SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
         WHERE relkind = 'r' AND relnamespace = to_regnamespace('weft')`,
        [],
      );
      return {bytes: Number(row?.['bytes'] ?? 0), free: 0, file: 'managed'};
    },
    releaseSpace: () => 'done',
    // The connection belongs to the process, and ends with it.
    close: () => {},
  };
}

/** Two names with one key only make their users wait for each other. */
const lockKeyOf = (about: string): number => createHash('sha256').update(about).digest().readInt32BE();

/** Brings the schema up to date. Processes that do so at once wait for each other. */
function migrate(link: Connection): void {
  link.transaction('schema', () => {
    link.run('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)');
    const found = Number(link.run('SELECT version FROM schema_version').rows[0]?.['version'] ?? 0);
    if (found > postgresMigrations.length)
      throw new StoreError(
        needsUser('The session database was made by a newer version of weft.', 'Update weft.'),
        undefined,
      );
    if (found === postgresMigrations.length) return;
    for (const step of postgresMigrations.slice(found)) link.run(step);
    link.run(`DELETE FROM schema_version; INSERT INTO schema_version VALUES (${String(postgresMigrations.length)})`);
  });
}

/** Returns the address without the password. */
function shownAddress(url: string): string {
  const {host = '', path = ''} = /^\w+:\/\/(?:[^/?]*@)?(?<host>[^/?]*)(?<path>\/[^?]*)?/u.exec(url)?.groups ?? {};
  return `${host === '' ? 'of Postgres' : host}${path}`;
}

function postgresFault(cause: unknown, address: string): Fault {
  const causeMessage = causeText(cause);
  const code = cause instanceof PostgresError ? cause.code : '';
  if (code === foreignSchemaCode) return foreignSchemaFault(causeMessage);
  const [problem, fix] = postgresText(code, causeMessage);
  return needsUser(`The session database ${address} ${problem} (${causeMessage}).`, fix);
}

function postgresText(code: string, causeMessage: string): readonly [problem: string, fix: string] {
  const isUnreachable =
    code === '57P01' || /^(?:E[A-Z]+|08\w{3})$/u.test(code) || /timed? ?out|connection/iu.test(causeMessage);
  if (isUnreachable)
    return ["can't be reached", 'Check that the server is running and reachable from here, then try again.'];
  if (code.startsWith('28') || code === '3D000' || code === '42501')
    return ['refused the connection', 'Check the user, the password and the database in the address.'];
  if (code === '55P03') return lockedText;
  return ['failed', "Check the Postgres server's log, then try again."];
}
