import {ok, type Outcome} from '../base/outcome.ts';
import type {Json} from '../base/json.ts';
import type {Fault} from '../domain/fault.ts';
import {type Database, openDatabase, type Row} from './database.ts';
import {isAlive, markProcess, type ProcessMark} from './process-start.ts';
import {storeFault, StoreError} from './store-fault.ts';

export interface OwnedRowsOptions {
  /** The database, or `:memory:`. */
  readonly file: string;
  readonly now: () => number;
  readonly process: {readonly pid: number};
}

/**
 * A database in which a row may belong to the process that works on what it stands for (columns `pid`, `started` and `at`), so that
 * another process sees where that work was cut off (`kill -9`, a crash).
 */
export class OwnedRows {
  readonly db: Database;
  readonly #options: OwnedRowsOptions;
  #mark: ProcessMark | undefined;

  private constructor(db: Database, options: OwnedRowsOptions) {
    this.db = db;
    this.#options = options;
  }

  /** Missing folders, file and tables are made. */
  static open(options: OwnedRowsOptions): Outcome<OwnedRows, Fault> {
    const opened = openDatabase(options.file);
    return opened.tag === 'failed' ? opened : ok(new OwnedRows(opened.value, options));
  }

  /** What marks a row as this process's own. */
  own(): ProcessMark {
    return (this.#mark ??= markProcess(this.#options.process.pid, Math.trunc(this.#options.now())));
  }

  /** Whether the process that the row belongs to has ended. */
  isCutOff(row: Row): boolean {
    const mark = {pid: Number(row['pid']), started: String(row['started']), at: Number(row['at'])};
    const own = this.own();
    return !(mark.pid === own.pid && mark.started === own.started) && !isAlive(mark);
  }

  /** Throws a `StoreError` where `work` fails. */
  guard<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw new StoreError(storeFault(cause, this.#options.file), cause);
    }
  }

  /** As `guard`, in one transaction. */
  transaction<T>(work: () => T): T {
    return this.guard(() => this.db.transaction(work));
  }
}

/** A text that a row's JSON holds; empty where a damaged one holds something else. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
