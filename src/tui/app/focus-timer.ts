/** When a card gets the focus, and what happens then. Times are milliseconds, from any start. */
interface FocusHost {
  now(): number;
  /** The time at which the card gets the focus; `undefined` if no card waits for it. */
  due(): number | undefined;
  take(): void;
}

/** Moves the focus to a card when it is due. */
export class FocusTimer {
  readonly #host: FocusHost;
  #timer: NodeJS.Timeout | undefined;
  #due: number | undefined;

  constructor(host: FocusHost) {
    this.#host = host;
  }

  /** Must be called whenever the time may have changed. */
  follow(): void {
    const due = this.#host.due();
    if (due === this.#due) return;
    this.#due = due;
    clearTimeout(this.#timer);
    if (due === undefined) return;
    // Keys that already wait in stdin are read first: they postpone the focus and belong to the draft.
    const taken = (): unknown => setImmediate(() => this.#take());
    this.#timer = setTimeout(taken, Math.max(0, due - this.#host.now()));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #take(): void {
    const due = this.#host.due();
    if (due === undefined) return;
    if (due <= this.#host.now()) this.#host.take();
    this.#due = undefined;
    this.follow();
  }
}
