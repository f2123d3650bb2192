import type {AgentEvent} from '../actions/agent-event.ts';
import type {EventListener} from './engine.ts';

/** Who is told what happens. */
export class Listeners {
  readonly #listeners = new Set<EventListener>();
  #caughtUp: Promise<unknown> | undefined;

  /** Answers with what ends it. */
  add(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(events: readonly AgentEvent[]): void {
    const behind = [...this.#listeners].map(listener => listener(events)).filter(taken => taken !== undefined);
    this.#caughtUp = behind.length === 0 ? undefined : Promise.all(behind);
  }

  /** Settles when all can take more; `undefined` where they can. */
  caughtUp(): Promise<unknown> | undefined {
    return this.#caughtUp;
  }
}
