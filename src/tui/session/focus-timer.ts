/** Who is asked when the card takes the keys, and told that it does. Times are milliseconds, from any start. */
export interface FocusHost {
  now(): number;
  /** `undefined` when no card waits for the keys. */
  due(): number | undefined;
  take(): void;
}

/** Gives the card the keys at its time. */
export class FocusTimer {
  readonly #host: FocusHost;
  #timer: NodeJS.Timeout | undefined;
  #due: number | undefined;

  constructor(host: FocusHost) {
    this.#host = host;
  }

  /** To be called whenever the time may have changed. */
  follow(): void {
    const due = this.#host.due();
    if (due === this.#due) return;
    this.#due = due;
    clearTimeout(this.#timer);
    if (due === undefined) return;
    // Keys that were pressed while nothing could be read are read first: they move the time, and go to the draft.
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
