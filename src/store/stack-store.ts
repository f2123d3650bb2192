import {parseJson} from '../base/json.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {StackEvent} from '../tasks/stack/stack-state.ts';
import {TaskStack} from '../tasks/stack/task-stack.ts';
import type {Database, DatabaseOptions, DatabasePlace} from './database.ts';
import {StoreError} from './store-fault.ts';

/**
 * The user's task stack. Requests are carried out one after the other, those of other processes on the same database too, and what
 * one changed is kept before it is answered. All methods throw a `StoreError` when the database fails; nothing was changed then.
 */
export interface StackStore {
  /** Carries out a request. The work may be called only once and must not wait for anything. */
  perform<T>(work: (stack: TaskStack) => T): T;
  /** Looks something up; `work` must change nothing. */
  read<T>(work: (stack: TaskStack) => T): T;
  close(): void;
}

export interface StackStoreOptions extends DatabaseOptions {
  readonly database: DatabasePlace;
  /** Six random digits. */
  readonly digits: () => string;
}

/** Opens the task stack; missing folders, file and tables are made. */
export function openStackStore(options: StackStoreOptions): Outcome<StackStore, Fault> {
  const opened = options.database.open(options);
  return opened.tag === 'failed' ? opened : ok(new KeptStack(opened.value, options));
}

class KeptStack implements StackStore {
  readonly #db: Database;
  readonly #options: StackStoreOptions;
  #stack: TaskStack;
  /** The last row of the log that `#stack` knows. */
  #seq = 0;

  constructor(db: Database, options: StackStoreOptions) {
    this.#db = db;
    this.#options = options;
    this.#stack = new TaskStack(options);
  }

  perform<T>(work: (stack: TaskStack) => T): T {
    try {
      return this.#db.transaction('stack', () => {
        this.#catchUp();
        const answer = work(this.#stack);
        const events = this.#stack.takeEvents();
        if (events.length > 0) {
          this.#db.run(
            'INSERT INTO stack_log (seq, events, at) VALUES (?, ?, ?)',
            this.#seq + 1,
            JSON.stringify(events),
            Math.trunc(this.#options.now()),
          );
          this.#seq += 1;
        }
        return answer;
      });
    } catch (cause) {
      // What is in memory may be what was not kept.
      this.#stack = new TaskStack(this.#options);
      this.#seq = 0;
      throw new StoreError(this.#db.fault(cause), cause);
    }
  }

  read<T>(work: (stack: TaskStack) => T): T {
    try {
      this.#catchUp();
    } catch (cause) {
      throw new StoreError(this.#db.fault(cause), cause);
    }
    return work(this.#stack);
  }

  close(): void {
    this.#db.close();
  }

  /** Takes what other processes have changed, and at first all that was ever kept. */
  #catchUp(): void {
    for (const row of this.#db.all('SELECT seq, events FROM stack_log WHERE seq > ? ORDER BY seq', this.#seq)) {
      this.#stack.replay(eventsIn(row['events']));
      this.#seq = Number(row['seq']);
    }
  }
}

/** The table is written by this file alone, so its rows are what was put there; a damaged one stands for no change. */
function eventsIn(column: unknown): readonly StackEvent[] {
  const json = parseJson(String(column));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above
  return json.tag === 'ok' && Array.isArray(json.value) ? (json.value as readonly StackEvent[]) : [];
}
