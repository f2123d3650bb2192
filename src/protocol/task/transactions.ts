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
    if (this.#open <= mostNested) for (const part of this.#parts) part.begin();
  }

  end(how: 'commit' | 'rollback'): void {
    if (this.#open === 0) return;
    this.#open -= 1;
    if (this.#open < mostNested) for (const part of this.#parts) part[how]();
  }

  /** A stream that begins has no transaction open; what a stream before it left open stays as it is. */
  commitAll(): void {
    while (this.#open > 0) this.end('commit');
  }
}

/** Transactions in transactions that can be rolled back by themselves; deeper ones end with the one around them. */
const mostNested = 100;
