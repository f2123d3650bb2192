import {ok, type Outcome} from '../base/outcome.ts';
import type {Json} from '../base/json.ts';
import type {Fault} from '../domain/fault.ts';
import type {Database, DatabaseOptions, DatabasePlace, Row} from './database.ts';
import {isOf, type ProcessMark} from './process-start.ts';
import {StoreError} from './store-fault.ts';

export interface OwnedRowsOptions extends DatabaseOptions {
  readonly database: DatabasePlace;
}

/**
 * A database in which a row may belong to the process that works on what it stands for (columns `pid`, `started` and `at`), so that
 * another process sees where that work was cut off (`kill -9`, a crash).
 */
export class OwnedRows {
  readonly db: Database;

  private constructor(db: Database) {
    this.db = db;
  }

  /** Missing folders, file and tables are made. */
  static open(options: OwnedRowsOptions): Outcome<OwnedRows, Fault> {
    const opened = options.database.open(options);
    return opened.tag === 'failed' ? opened : ok(new OwnedRows(opened.value));
  }

  /** What marks a row as this process's own. */
  own(): ProcessMark {
    return this.db.mark();
  }

  /** Whether the process that the row belongs to has ended. */
  isCutOff(row: Row): boolean {
    const mark = {pid: Number(row['pid']), started: String(row['started']), at: Number(row['at'])};
    return !isOf(mark, this.own()) && !this.db.isAlive(mark);
  }

  /** Throws a `StoreError` where `work` fails. */
  guard<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw new StoreError(this.db.fault(cause), cause);
    }
  }

  /** As `guard`, in one transaction. */
  transaction<T>(about: string, work: () => T): T {
    return this.guard(() => this.db.transaction(about, work));
  }
}

/** A text that a row's JSON holds; empty where a damaged one holds something else. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
