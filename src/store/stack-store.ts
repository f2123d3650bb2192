import {parseJson} from '../base/json.ts';
import type {StackEvent} from '../tasks/stack/stack-state.ts';
import {type StackDeps, TaskStack} from '../tasks/stack/task-stack.ts';
import type {Database} from './database.ts';

/**
 * The user's task stack. Requests are carried out one after the other, those of other processes on the same database too, and what
 * one changed is kept before it is answered. All methods throw a `StoreError` when the database fails; nothing was changed then.
 */
export class StackStore {
  readonly #db: Database;
  readonly #options: StackDeps;
  #stack: TaskStack;
  /** The last row of the log that `#stack` knows. */
  #seq = 0;

  constructor(db: Database, options: StackDeps) {
    this.#db = db;
    this.#options = options;
    this.#stack = new TaskStack(options);
  }

  /** Carries out a request. The work may be called only once and must not wait for anything. */
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
      throw cause;
    }
  }

  /** Looks something up; `work` must change nothing. */
  read<T>(work: (stack: TaskStack) => T): T {
    this.#catchUp();
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
