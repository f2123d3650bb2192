import type {ProcessMark} from './process-mark.ts';

/** The value of a column: text, a whole number, or null. */
export type Value = string | number | null;

export type Row = Readonly<Record<string, unknown>>;

/**
 * An open database with the current schema. SQL is what SQLite and Postgres both understand, with `?` for values. Every method throws a
 * `StoreError` if the database fails.
 */
export interface Database {
  all(sql: string, ...values: Value[]): readonly Row[];
  first(sql: string, ...values: Value[]): Row | undefined;
  run(sql: string, ...values: Value[]): void;
  /**
   * Runs all of `work` or none of it. Other processes with the same `lockName` wait, and in some databases all other writers. Must not be
   * nested.
   */
  transaction<T>(lockName: string, work: () => T): T;
  /** Returns the mark of this process for rows that it owns. The mark changes only if another process may have treated this one as dead. */
  mark(): ProcessMark;
  isAlive(mark: ProcessMark): boolean;
  space(): DatabaseSpace;
  /** Gives some free pages back to the file system. Returns whether there are more. */
  releaseSpace(): 'more' | 'done';
  /** A second call does nothing. */
  close(): void;
}

/** Sizes in bytes. A `fixed` file keeps its free pages until it is rebuilt. Postgres looks after its own space. */
export interface DatabaseSpace {
  readonly bytes: number;
  readonly free: number;
  readonly file: 'shrinks' | 'fixed' | 'managed';
}

export interface DatabaseOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly process: {readonly pid: number};
  /** Opens a file of a newer weft for reading, and gets a sentence about it. Without it, such a file is refused. */
  readonly readNewer?: (sentence: string) => void;
}
