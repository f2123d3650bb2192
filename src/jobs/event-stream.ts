import type {JobEvent, JobsOf, JobStore} from '../domain/job.ts';
import {lookMs} from './held-job.ts';

/**
 * What happens in one run, for any number of readers. Each event has a number, from 1 on without gaps; a reader that was away asks for
 * those after the last one that it has.
 */
export interface EventStream {
  /** The events with greater numbers that there are now, at most a few hundred of them. */
  after(id: number): readonly JobEvent[] | Promise<readonly JobEvent[]>;
  /** Whether no event will follow. */
  readonly isOver: boolean;
  /** Calls `listener` when there are more events, or when it is over. The result unsubscribes. */
  subscribe(listener: () => void): () => void;
}

/** Events that a reader gets in one piece. */
const maxAtOnce = 200;

/** UTF-16 units of events that one stream keeps. */
const maxKept = 32 * 1024 * 1024;

/**
 * A stream that is written here and kept in memory, once for all readers. Of a very long one the oldest events are let go: a reader that
 * comes for those is told so, and reads on with the next.
 */
export class EventLog implements EventStream {
  readonly #events: JobEvent[] = [];
  readonly #listeners = new Set<() => void>();
  #onReaders: () => void;
  readonly #most: number;
  #kept = 0;
  /** How many events were let go. */
  #gone = 0;
  isOver = false;

  /** `onReaders` is called when a reader comes or goes before the end. `most` are UTF-16 units to keep. */
  constructor(onReaders: () => void, most = maxKept) {
    this.#onReaders = onReaders;
    this.#most = most;
  }

  get readers(): number {
    return this.#listeners.size;
  }

  /** The number of the last event; 0 before the first. */
  get last(): number {
    return this.#gone + this.#events.length;
  }

  add(event: object): JobEvent {
    const data = JSON.stringify(event);
    const added = {id: this.last + 1, data};
    this.#events.push(added);
    this.#kept += data.length;
    while (this.#kept > this.#most && this.#events.length > 1) {
      this.#kept -= this.#events.shift()?.data.length ?? 0;
      this.#gone += 1;
    }
    this.#tell();
    return added;
  }

  end(): void {
    this.isOver = true;
    // A kept stream must not keep the engine alive that wrote it.
    this.#onReaders = () => {};
    this.#tell();
  }

  after(id: number): readonly JobEvent[] {
    if (id >= this.#gone) return this.#events.slice(id - this.#gone, id - this.#gone + maxAtOnce);
    const message = `Events ${String(id + 1)} to ${String(this.#gone)} are no longer kept. The conversation is at /agent/sessions/{id}/messages.`;
    return [{id: this.#gone, data: JSON.stringify({type: 'error', message})}, ...this.#events.slice(0, maxAtOnce)];
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#onReaders();
    return () => {
      if (this.#listeners.delete(listener)) this.#onReaders();
    };
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The kept events of jobs, which other processes may do. With `end: 'none'` there may always be one more job. */
export class KeptEvents implements EventStream {
  readonly #store: JobStore;
  readonly #of: JobsOf;
  readonly #end: 'of-job' | 'none';
  readonly #listeners = new Set<() => void>();
  isOver: boolean;

  private constructor(store: JobStore, of: JobsOf, end: 'over' | 'of-job' | 'none') {
    this.#store = store;
    this.#of = of;
    this.#end = end === 'none' ? 'none' : 'of-job';
    this.isOver = end === 'over';
  }

  static endless(store: JobStore, of: JobsOf): KeptEvents {
    return new KeptEvents(store, of, 'none');
  }

  static async ofJob(store: JobStore, id: string): Promise<KeptEvents> {
    return new KeptEvents(store, {id}, (await isAtWork(store, {id})) ? 'of-job' : 'over');
  }

  after(id: number): Promise<readonly JobEvent[]> {
    return this.#store.events(this.#of, id, maxAtOnce);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.isOver) return () => this.#listeners.delete(listener);
    let seen = 0;
    const look = async (): Promise<void> => {
      try {
        // The last event is kept before the end.
        this.isOver ||= this.#end === 'of-job' && !(await isAtWork(this.#store, this.#of));
        const last = await this.#store.lastEvent(this.#of, 'all');
        if (last === seen && !this.isOver) return;
        seen = last;
      } catch {
        // A reader of a job comes back with the number of its last event.
        this.isOver = this.#end === 'of-job';
      }
      listener();
    };
    const timer = setInterval(() => void look(), lookMs);
    timer.unref();
    return () => {
      this.#listeners.delete(listener);
      clearInterval(timer);
    };
  }

  /** Events of this process are there: readers need not wait for the next look. */
  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

const isAtWork = async (store: JobStore, of: JobsOf): Promise<boolean> =>
  (await store.list(of)).some(({state}) => state === 'running' || state === 'queued');
