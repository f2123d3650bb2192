import {parseJson} from '../base/json.ts';
import type {StackEvent} from '../tasks/stack/stack-state.ts';
import {type StackDeps, TaskStack} from '../tasks/stack/task-stack.ts';
import type {Database} from './database.ts';

/**
 * The user's task stack. Requests run one after the other, including those of other processes on the same database.
 * Changes are stored before the request is answered. Every method throws a `StoreError` if the database fails, and then
 * nothing was changed.
 */
export class StackStore {
  readonly #db: Database;
  readonly #options: StackDeps;
  #stack: TaskStack;
  /** The last row of the log that `#stack` includes. */
  #seq = 0;

  constructor(db: Database, options: StackDeps) {
    this.#db = db;
    this.#options = options;
    this.#stack = new TaskStack(options);
  }

  /** Runs a request. `work` is called only once and must not wait for anything. */
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
      // The stack in memory may contain changes that weren't stored.
      this.#stack = new TaskStack(this.#options);
      this.#seq = 0;
      throw cause;
    }
  }

  /** Reads the stack; `work` must change nothing. */
  read<T>(work: (stack: TaskStack) => T): T {
    this.#catchUp();
    return work(this.#stack);
  }

  close(): void {
    this.#db.close();
  }

  /** Applies the changes of other processes, and on first use everything stored. */
  #catchUp(): void {
    for (const row of this.#db.all('SELECT seq, events FROM stack_log WHERE seq > ? ORDER BY seq', this.#seq)) {
      this.#stack.replay(eventsIn(row['events']));
      this.#seq = Number(row['seq']);
    }
  }
}

/** Only this file writes the table, so its rows have the right shape. A damaged row counts as no change. */
function eventsIn(column: unknown): readonly StackEvent[] {
  const json = parseJson(String(column));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above
  return json.tag === 'ok' && Array.isArray(json.value) ? (json.value as readonly StackEvent[]) : [];
}
