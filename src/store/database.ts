import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {ProcessMark} from './process-start.ts';

/** What a column may hold here: text, whole numbers, nothing. */
export type Value = string | number | null;

export type Row = Readonly<Record<string, unknown>>;

/**
 * An open database of the current schema. SQL is what SQLite and Postgres both understand, with `?` for values. All of it may throw what
 * the driver throws; `fault` puts that into words.
 */
export interface Database {
  all(sql: string, ...values: Value[]): readonly Row[];
  first(sql: string, ...values: Value[]): Row | undefined;
  run(sql: string, ...values: Value[]): void;
  /**
   * All of `work` or nothing; other processes that change what `about` names wait, and perhaps those that change something else, too.
   * Not to be nested.
   */
  transaction<T>(about: string, work: () => T): T;
  /** What marks a row as this process's own. It stays the same as long as nobody else can have taken this process for dead. */
  mark(): ProcessMark;
  /** Whether the marked process still runs. */
  isAlive(mark: ProcessMark): boolean;
  fault(cause: unknown): Fault;
  close(): void;
}

/** Where the user's data are kept. */
export interface DatabasePlace {
  /** Opens the database; what is missing is made. `now` in milliseconds since the epoch. */
  open(options: DatabaseOptions): Outcome<Database, Fault>;
}

export interface DatabaseOptions {
  readonly now: () => number;
  readonly process: {readonly pid: number};
}
