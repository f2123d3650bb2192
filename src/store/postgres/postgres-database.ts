import {createHash, randomInt} from 'node:crypto';
import {hostname} from 'node:os';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText, type Fault} from '../../domain/fault.ts';
import type {Database, DatabaseOptions, Row, Value} from '../database.ts';
import {isOf, type ProcessMark} from '../process-start.ts';
import {lockedText, StoreError, throwing} from '../store-fault.ts';
import {type Answer, ask, PostgresError} from './connection-thread.ts';
import {foreignSchemaCode, foreignSchemaFault} from './own-schema.ts';
import {postgresMigrations} from './postgres-migrations.ts';

/**
 * The user's data in the database of a Postgres server, in a schema of their own. The store is written for a database that answers at
 * once, and the engine for a store that has kept what it was given: so this thread waits while another one speaks with the server. Of a
 * process there is one connection, whatever it opens.
 */
export function openPostgres(url: string, options: DatabaseOptions): Outcome<Database, Fault> {
  if (!/^postgres(?:ql)?:\/\//u.test(url))
    return failed({
      kind: 'needs-user',
      message: 'The address of the store cannot be read.',
      fix: 'Use sqlite, or an address such as postgres://user@host/database.',
    });
  const link = new Link(url);
  const faultOf = (cause: unknown): Fault =>
    cause instanceof StoreError ? cause.fault : postgresFault(cause, shownAddress(url));
  try {
    migrate(link);
    return ok(asDatabase(link, options, throwing(faultOf)));
  } catch (cause) {
    return failed(faultOf(cause));
  }
}

/** Connections hold locks of these classes, by which others know that a process lives, and who may change what. */
const lockClass = {process: 0x77_65_66_74, change: 0x77_65_66_76} as const;

/** The mark of this process on a connection: another one once that was lost, and others may have taken its work. */
const marks = new Map<string, {readonly connection: string; readonly mark: ProcessMark}>();

/** The connection of this process to one database. */
class Link {
  readonly #url: string;
  /** On which connection the last statement ran. */
  #connection = '';
  /** On which one the next statement has to run. */
  #on = 'any';

  constructor(url: string) {
    this.#url = url;
  }

  run(sql: string, values: readonly Value[] = []): Answer {
    const answer = ask({url: this.#url, sql, values, on: this.#on});
    this.#connection = answer.connection;
    return answer;
  }

  /** All of `work` or nothing; whoever changes the same waits. */
  transaction<T>(about: string, work: () => T): T {
    this.#on = this.run(
      `BEGIN; SELECT pg_advisory_xact_lock(${String(lockClass.change)}, ${String(keyOf(about))})`,
    ).connection;
    try {
      const value = work();
      this.run('COMMIT');
      return value;
    } catch (cause) {
      this.#rollBack();
      throw cause;
    } finally {
      this.#on = 'any';
    }
  }

  /** After a lost connection there is nothing to take back. */
  #rollBack(): void {
    try {
      this.run('ROLLBACK');
    } catch {
      return;
    }
  }

  /** Takes the lock that stands for this process where it does not hold it yet. */
  mark({now, process: {pid}}: DatabaseOptions): ProcessMark {
    const known = marks.get(this.#url);
    if (known !== undefined && known.connection === this.#connection) return known.mark;
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

function asDatabase(link: Link, options: DatabaseOptions, guarded: ReturnType<typeof throwing>): Database {
  const rows = (sql: string, values: readonly Value[]): readonly Row[] => guarded(() => link.run(sql, values).rows);
  return {
    all: (sql, ...values) => rows(sql, values),
    first: (sql, ...values) => rows(sql, values)[0],
    run: (sql, ...values) => void rows(sql, values),
    transaction: (about, work) => guarded(() => link.transaction(about, work)),
    mark: () => guarded(() => link.mark(options)),
    isAlive: mark => guarded(() => isOf(mark, link.mark(options)) || link.isAlive(mark)),
    // The connection is the process's, and ends with it.
    close: () => {},
  };
}

/** Two names of one key only make each other wait. */
const keyOf = (about: string): number => createHash('sha256').update(about).digest().readInt32BE();

/** Brings the schema up to date; processes that do it at once wait for each other. */
function migrate(link: Link): void {
  link.transaction('schema', () => {
    link.run('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)');
    const found = Number(link.run('SELECT version FROM schema_version').rows[0]?.['version'] ?? 0);
    if (found > postgresMigrations.length)
      throw new StoreError(
        {kind: 'needs-user', message: 'The session database was made by a newer version of weft.', fix: 'Update weft.'},
        undefined,
      );
    if (found === postgresMigrations.length) return;
    for (const step of postgresMigrations.slice(found)) link.run(step);
    link.run(`DELETE FROM schema_version; INSERT INTO schema_version VALUES (${String(postgresMigrations.length)})`);
  });
}

/** Without the password. */
function shownAddress(url: string): string {
  const {host = '', path = ''} = /^\w+:\/\/(?:[^/?]*@)?(?<host>[^/?]*)(?<path>\/[^?]*)?/u.exec(url)?.groups ?? {};
  return `${host === '' ? 'of Postgres' : host}${path}`;
}

function postgresFault(cause: unknown, address: string): Fault {
  const said = causeText(cause);
  const code = cause instanceof PostgresError ? cause.code : '';
  if (code === foreignSchemaCode) return foreignSchemaFault(said);
  const [trouble, fix] = postgresText(code, said);
  return {kind: 'needs-user', message: `The session database ${address} ${trouble} (${said}).`, fix};
}

/** What is wrong and what the user does. */
function postgresText(code: string, said: string): readonly [trouble: string, fix: string] {
  const isAway = code === '57P01' || /^(?:E[A-Z]+|08\w{3})$/u.test(code) || /timed? ?out|connection/iu.test(said);
  if (isAway) return ['cannot be reached', 'See that the server runs and can be reached from here, then try again.'];
  if (code.startsWith('28') || code === '3D000' || code === '42501')
    return ['lets weft not in', 'See that the user, the password and the database of the address are right.'];
  if (code === '55P03') return lockedText;
  return ['failed', 'See the log of the Postgres server, then try again.'];
}
