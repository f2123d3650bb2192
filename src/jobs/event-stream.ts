import type {JobEvent, JobsOf, JobStore} from '../domain/job.ts';
import {pollMs} from './claimed-job.ts';

/**
 * The events of one run, for any number of readers. Events are numbered from 1 without gaps. A reader that reconnects
 * requests the events after the last one it has.
 */
export interface EventStream {
  /** Returns the current events with greater numbers, at most a few hundred. */
  after(id: number): readonly JobEvent[] | Promise<readonly JobEvent[]>;
  /** True if no event will follow. */
  readonly hasEnded: boolean;
  /** Calls `listener` when there are more events, and at the end. The returned function unsubscribes. */
  subscribe(listener: () => void): () => void;
}

/** The maximum number of events that a reader gets at once. */
const maxAtOnce = 200;

/** The maximum amount of event text that one stream keeps, in UTF-16 units. */
const maxStored = 32 * 1024 * 1024;

/**
 * A stream written in this process and kept in memory, once for all readers. A very long stream drops its oldest
 * events. A reader that requests dropped events gets an error event and continues with the next event.
 */
export class EventLog implements EventStream {
  readonly #events: JobEvent[] = [];
  readonly #listeners = new Set<() => void>();
  #onReaders: () => void;
  readonly #maxStored: number;
  #storedUnits = 0;
  /** The number of dropped events. */
  #dropped = 0;
  hasEnded = false;

  /** Calls `onReaders` when a reader comes or goes before the end. `most` is the limit in UTF-16 units. */
  constructor(onReaders: () => void, most = maxStored) {
    this.#onReaders = onReaders;
    this.#maxStored = most;
  }

  get readers(): number {
    return this.#listeners.size;
  }

  /** The number of the last event; 0 before the first. */
  get last(): number {
    return this.#dropped + this.#events.length;
  }

  add(event: object): JobEvent {
    const data = JSON.stringify(event);
    const added = {id: this.last + 1, data};
    this.#events.push(added);
    this.#storedUnits += data.length;
    while (this.#storedUnits > this.#maxStored && this.#events.length > 1) {
      this.#storedUnits -= this.#events.shift()?.data.length ?? 0;
      this.#dropped += 1;
    }
    this.#notify();
    return added;
  }

  end(): void {
    this.hasEnded = true;
    // A kept stream must not keep alive the engine that wrote it.
    this.#onReaders = () => {};
    this.#notify();
  }

  after(id: number): readonly JobEvent[] {
    if (id >= this.#dropped) return this.#events.slice(id - this.#dropped, id - this.#dropped + maxAtOnce);
    const message = `Events ${String(id + 1)} to ${String(this.#dropped)} are gone. Read the conversation at /agent/sessions/{id}/messages.`;
    return [{id: this.#dropped, data: JSON.stringify({type: 'error', message})}, ...this.#events.slice(0, maxAtOnce)];
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#onReaders();
    return () => {
      if (this.#listeners.delete(listener)) this.#onReaders();
    };
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The stored events of jobs, which may run in other processes. With `end: 'none'` another job may always follow. */
export class StoredEvents implements EventStream {
  readonly #store: JobStore;
  readonly #of: JobsOf;
  readonly #end: 'of-job' | 'none';
  readonly #listeners = new Set<() => void>();
  hasEnded: boolean;

  private constructor(store: JobStore, of: JobsOf, end: 'over' | 'of-job' | 'none') {
    this.#store = store;
    this.#of = of;
    this.#end = end === 'none' ? 'none' : 'of-job';
    this.hasEnded = end === 'over';
  }

  static endless(store: JobStore, of: JobsOf): StoredEvents {
    return new StoredEvents(store, of, 'none');
  }

  static async ofJob(store: JobStore, id: string): Promise<StoredEvents> {
    return new StoredEvents(store, {id}, (await isAtWork(store, {id})) ? 'of-job' : 'over');
  }

  after(id: number): Promise<readonly JobEvent[]> {
    return this.#store.events(this.#of, id, maxAtOnce);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.hasEnded) return () => this.#listeners.delete(listener);
    let seen = 0;
    const look = async (): Promise<void> => {
      try {
        // The last event is stored before the job's end.
        this.hasEnded ||= this.#end === 'of-job' && !(await isAtWork(this.#store, this.#of));
        const last = await this.#store.lastEvent(this.#of, 'all');
        if (last === seen && !this.hasEnded) return;
        seen = last;
      } catch {
        // A job's reader reconnects with the number of its last event.
        this.hasEnded = this.#end === 'of-job';
      }
      listener();
    };
    const timer = setInterval(() => void look(), pollMs);
    timer.unref();
    return () => {
      this.#listeners.delete(listener);
      clearInterval(timer);
    };
  }

  /** Tells readers about new events of this process before the next poll. */
  notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

const isAtWork = async (store: JobStore, of: JobsOf): Promise<boolean> =>
  (await store.list(of)).some(({state}) => state === 'running' || state === 'queued');
