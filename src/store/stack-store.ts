import {parseJson} from '../base/json.ts';
import type {StackEvent, StackSnapshot} from '../tasks/stack/stack-state.ts';
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
  /** The requests that share the next transaction. */
  #group: GroupedRequest[] = [];
  /** The rows that this process has read or written since the last snapshot that it read or wrote. */
  #rows = 0;

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
          this.#rows += 1;
          this.#shortenLog();
        }
        return answer;
      });
    } catch (cause) {
      // The stack in memory may contain changes that weren't stored.
      this.#stack = new TaskStack(this.#options);
      this.#seq = 0;
      this.#rows = 0;
      throw cause;
    }
  }

  /** Runs a request like `perform`, in one transaction with all others that have arrived by then: a commit may take longer than a request. */
  performInGroup<T>(work: (stack: TaskStack) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#group.length === 0) setImmediate(() => this.#performGroup());
      this.#group.push({
        perform(stack) {
          const answer = work(stack);
          return () => resolve(answer);
        },
        reject,
      });
    });
  }

  #performGroup(): void {
    const group = this.#group;
    this.#group = [];
    try {
      for (const settle of this.perform(stack => group.map(({perform}) => perform(stack)))) settle();
    } catch (cause) {
      for (const {perform, reject} of group) {
        // One request can't make the others fail.
        try {
          if (group.length === 1) throw cause;
          this.perform(perform)();
        } catch (ownCause) {
          reject(ownCause);
        }
      }
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

  /**
   * Puts a snapshot in place of the last row and deletes the rows before it, if they are many and more than the stack has tasks and
   * messages. So a stack that opens reads little more than what it has, and a request takes no more time on average as the stack grows.
   * A process that has not read all of these rows reads the snapshot next.
   */
  #shortenLog(): void {
    if (this.#rows < minRows || this.#rows < this.#stack.size) return;
    const row: StackRow = {snapshot: this.#stack.snapshot()};
    this.#db.run('DELETE FROM stack_log WHERE seq < ?', this.#seq);
    this.#db.run('UPDATE stack_log SET events = ? WHERE seq = ?', JSON.stringify(row), this.#seq);
    this.#rows = 0;
  }

  /** Applies the changes of other processes, and on first use everything stored. */
  #catchUp(): void {
    for (const row of this.#db.all('SELECT seq, events FROM stack_log WHERE seq > ? ORDER BY seq', this.#seq)) {
      const read = readRow(row['events']);
      if ('snapshot' in read) this.#stack.restore(read.snapshot);
      else this.#stack.replay(read);
      this.#rows = 'snapshot' in read ? 0 : this.#rows + 1;
      this.#seq = Number(row['seq']);
    }
  }
}

interface GroupedRequest {
  /** Returns the function that settles the request once its changes are stored. */
  readonly perform: (stack: TaskStack) => () => void;
  readonly reject: (cause: unknown) => void;
}

/** The minimum number of rows that a snapshot replaces. */
const minRows = 1000;

/** The changes of a request, or the stack after it. */
type StackRow = readonly StackEvent[] | {readonly snapshot: StackSnapshot};

/** Only this file writes the table, so its rows have the right shape. A damaged row counts as no change. */
function readRow(column: unknown): StackRow {
  const json = parseJson(String(column));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above
  return json.tag === 'ok' && typeof json.value === 'object' && json.value !== null ? (json.value as StackRow) : [];
}
