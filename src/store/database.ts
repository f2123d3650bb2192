import type {ProcessMark} from './process-start.ts';

/** What a column may hold here: text, whole numbers, nothing. */
export type Value = string | number | null;

export type Row = Readonly<Record<string, unknown>>;

/**
 * An open database of the current schema. SQL is what SQLite and Postgres both understand, with `?` for values. All of it throws a
 * `StoreError` where the database fails.
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
  /** Twice is once. */
  close(): void;
}

export interface DatabaseOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly process: {readonly pid: number};
}
