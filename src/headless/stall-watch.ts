import type {AgentEvent} from '../actions/agent-event.ts';

/** Milliseconds of silence after which the user is told. */
const longSilenceMs = 30_000;

/** Time for a `StallWatch`. */
export interface StallClock {
  /** Milliseconds, from any moment on. */
  now(): number;
  /** Calls once, after so many milliseconds; keeps nothing alive. Answers with what calls it off. */
  after(ms: number, call: () => void): () => void;
}

/** Notes once per silence that the model sends nothing: someone who watches a pipe cannot tell a stall from long work. */
export class StallWatch {
  readonly #clock: StallClock;
  readonly #note: (line: string) => void;
  /** When the silence will have lasted too long; `undefined` while the model is not expected to send anything. */
  #due: number | undefined;
  #cancel: (() => void) | undefined;

  constructor({clock, note}: {readonly clock: StallClock; readonly note: (line: string) => void}) {
    this.#clock = clock;
    this.#note = note;
  }

  take(event: AgentEvent): void {
    switch (event.event) {
      case 'turn-started':
      case 'fell-back':
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

  /** One timer serves many events: when it fires, it checks whether an event came meanwhile. */
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
    this.#note(`no data from the model for ${longSilenceMs / 1000} s; still waiting`);
  }
}
