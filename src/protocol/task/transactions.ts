/** What can go back to how it was when a transaction began. */
export interface Revertible {
  begin(): void;
  commit(): void;
  rollback(): void;
}

/** The open transactions of a stream, over all that they revert. An end without a beginning is none. */
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

  /** A stream that begins has no transaction open; what a stream before it left open stays as it is. */
  commitAll(): void {
    while (this.#open > 0) this.end('commit');
  }
}

/** Transactions in transactions that can be rolled back by themselves; deeper ones end with the one around them. */
const maxNested = 100;

/**
 * What is remembered by key: bounded, so that the oldest entries are forgotten, and able to go back to how it was when a
 * transaction began. Transactions nest.
 */
export class RevertibleMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #limit: number;
  readonly #weightOf: (value: V) => number;
  #weight = 0;
  /** The key that was set last, where it was kept. */
  #newest = '';
  /** What each open transaction found under the keys it touched. */
  readonly #undo: Map<string, V | undefined>[] = [];

  /** Remembers values up to a sum of `limit`; one heavier than an eighth of it is not remembered at all. */
  constructor({limit, weightOf}: {limit: number; weightOf: (value: V) => number}) {
    this.#limit = limit;
    this.#weightOf = weightOf;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: V): void {
    const undo = this.#undo.at(-1);
    if (undo !== undefined && undo.size < maxUndone && !undo.has(key)) undo.set(key, this.#entries.get(key));
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
      // Setting a key that is there leaves it in its old place, which is right for the newest only: others must not be forgotten first.
      if (key !== this.#newest || !isKept) this.#entries.delete(key);
    }
    if (value === undefined || !isKept) return;
    this.#weight += weight;
    this.#entries.set(key, value);
    this.#newest = key;
    if (this.#weight > this.#limit) this.#forgetOldest(this.#limit * 0.75);
  }

  /** Many at a time: a map walks over the places of what it has lost before it comes to its first entry. */
  #forgetOldest(limit: number): void {
    for (const [key, value] of this.#entries) {
      if (this.#weight <= limit) return;
      this.#weight -= this.#weightOf(value);
      this.#entries.delete(key);
    }
  }
}

/** Keys one transaction can put back; what a larger one touched after them stays as it is. */
const maxUndone = 100_000;
