import type {AgentEvent} from '../actions/agent-event.ts';
import type {EventListener} from './client.ts';

/** The front ends that receive events. */
export class Listeners {
  readonly #listeners = new Set<EventListener>();
  #ready: Promise<unknown> | undefined;

  add(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(events: readonly AgentEvent[]): void {
    const busy = [...this.#listeners].map(listener => listener(events)).filter(taken => taken !== undefined);
    this.#ready = busy.length === 0 ? undefined : Promise.all(busy);
  }

  /** Settles when all listeners can take more events. `undefined` if they already can. */
  ready(): Promise<unknown> | undefined {
    return this.#ready;
  }
}
