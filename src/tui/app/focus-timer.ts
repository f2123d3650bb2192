/** The port of `FocusTimer`. Times are in milliseconds since an arbitrary start. */
interface FocusHost {
  now(): number;
  /** Returns when the card takes the focus, or `undefined` if no card waits for it. */
  due(): number | undefined;
  /** Moves the focus to the card. */
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

  /** Restarts the timer. Must be called whenever the due time may have changed. */
  update(): void {
    const due = this.#host.due();
    if (due === this.#due) return;
    this.#due = due;
    clearTimeout(this.#timer);
    if (due === undefined) return;
    // Keys already waiting in stdin are read first: they postpone the focus and belong to the draft.
    const takeAfterInput = (): unknown => setImmediate(() => this.#take());
    this.#timer = setTimeout(takeAfterInput, Math.max(0, due - this.#host.now()));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #take(): void {
    const due = this.#host.due();
    if (due === undefined) return;
    if (due <= this.#host.now()) this.#host.take();
    this.#due = undefined;
    this.update();
  }
}
