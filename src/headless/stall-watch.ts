import type {AgentEvent} from '../actions/agent-event.ts';

/** Milliseconds of silence after which weft prints a notice. */
const longSilenceMs = 30_000;

/** The clock of a `StallWatch`. */
export interface HeadlessClock {
  /** Returns milliseconds since an arbitrary moment. */
  now(): number;
  /** Returns milliseconds since 1970. */
  date(): number;
  /** Calls `call` once after `ms` milliseconds, without keeping the process alive. Returns a function that cancels it. */
  after(ms: number, call: () => void): () => void;
}

/** Prints one notice per silence of the model, because a person who watches a pipe can't distinguish a stall from long work. */
export class StallWatch {
  readonly #clock: HeadlessClock;
  readonly #note: (line: string) => void;
  /** The time at which the silence is too long; `undefined` while the model is not expected to send anything. */
  #due: number | undefined;
  #cancel: (() => void) | undefined;

  constructor({clock, note}: {readonly clock: HeadlessClock; readonly note: (line: string) => void}) {
    this.#clock = clock;
    this.#note = note;
  }

  take(event: AgentEvent): void {
    switch (event.event) {
      case 'turn-started':
      case 'compaction-begun':
      case 'fell-back':
      case 'repaired':
      case 'message-started':
      case 'block-started':
      case 'block-delta':
      case 'block-finished':
        this.#await(longSilenceMs);
        return;
      case 'retrying':
        this.#await(event.delayMs + longSilenceMs);
        return;
      case 'message-finished':
      case 'compaction-ended':
      case 'usage-changed':
      case 'prompt-finished':
        this.end();
        return;
      default:
        return;
    }
  }

  end(): void {
    this.#due = undefined;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Restarts the wait. One timer serves many events: when it fires, it checks whether an event arrived in the meantime. */
  #await(ms: number): void {
    this.#due = this.#clock.now() + ms;
    this.#cancel ??= this.#clock.after(ms, () => this.#look());
  }

  #look(): void {
    this.#cancel = undefined;
    if (this.#due === undefined) return;
    const left = this.#due - this.#clock.now();
    if (left > 0) {
      this.#cancel = this.#clock.after(left, () => this.#look());
      return;
    }
    this.#due = undefined;
    this.#note(`no data from the model for ${longSilenceMs / 1000} s, still waiting`);
  }
}
