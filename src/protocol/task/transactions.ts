/** State that can return to how it was when a transaction began. */
export interface Revertible {
  begin(): void;
  commit(): void;
  rollback(): void;
}

/** The open transactions of a stream, across all revertible state. An end without a begin is ignored. */
export class Transactions {
  #open = 0;
  readonly #parts: readonly Revertible[];

  constructor(parts: readonly Revertible[]) {
    this.#parts = parts;
  }

  begin(): void {
    this.#open += 1;
    if (this.#open <= maxNested) for (const part of this.#parts) part.begin();
  }

  end(how: 'commit' | 'rollback'): void {
    if (this.#open === 0) return;
    this.#open -= 1;
    if (this.#open < maxNested) for (const part of this.#parts) part[how]();
  }

  /** Commits the transactions that an earlier stream left open, because a new stream starts without any. */
  commitAll(): void {
    while (this.#open > 0) this.end('commit');
  }
}

/** The maximum number of nested transactions that can be rolled back by themselves. Deeper ones end with the one around them. */
const maxNested = 100;

/** A bounded map that drops its oldest entries and can return to its state at the start of a transaction. Transactions nest. */
export class RevertibleMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #limit: number;
  readonly #weightOf: (value: V) => number;
  #weight = 0;
  /** The key that was set last, if it was kept. */
  #newest = '';
  /** The previous values of the keys that each open transaction changed. */
  readonly #undo: Map<string, V | undefined>[] = [];

  /** Keeps values up to a total weight of `limit`. A value heavier than an eighth of it is not kept at all. */
  constructor({limit, weightOf}: {limit: number; weightOf: (value: V) => number}) {
    this.#limit = limit;
    this.#weightOf = weightOf;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: V): void {
    const undo = this.#undo.at(-1);
    if (undo !== undefined && undo.size < maxUndoKeys && !undo.has(key)) undo.set(key, this.#entries.get(key));
    this.#put(key, value);
  }

  begin(): void {
    this.#undo.push(new Map());
  }

  commit(): void {
    const inner = this.#undo.pop();
    const outer = this.#undo.at(-1);
    if (inner === undefined || outer === undefined) return;
    for (const [key, value] of inner) if (!outer.has(key)) outer.set(key, value);
  }

  rollback(): void {
    for (const [key, value] of this.#undo.pop() ?? []) this.#put(key, value);
  }

  #put(key: string, value: V | undefined): void {
    const before = this.#entries.get(key);
    const weight = value === undefined ? Infinity : this.#weightOf(value);
    const isKept = weight <= this.#limit / 8;
    if (before !== undefined) {
      this.#weight -= this.#weightOf(before);
      // Setting an existing key keeps its old position, which is right only for the newest. Others must move to the
      // end, or they are dropped too early.
      if (key !== this.#newest || !isKept) this.#entries.delete(key);
    }
    if (value === undefined || !isKept) return;
    this.#weight += weight;
    this.#entries.set(key, value);
    this.#newest = key;
    if (this.#weight > this.#limit) this.#forgetOldest(this.#limit * 0.75);
  }

  /** Drops many at a time: a map scans its deleted entries before it reaches the first one. */
  #forgetOldest(limit: number): void {
    for (const [key, value] of this.#entries) {
      if (this.#weight <= limit) return;
      this.#weight -= this.#weightOf(value);
      this.#entries.delete(key);
    }
  }
}

/** The maximum number of keys that one transaction can restore. Further changes stay after a rollback. */
const maxUndoKeys = 100_000;
