/**
 * What happens in one run, for any number of readers. Each event has a number, from 1 on without gaps; a reader that was away asks for
 * those after the last one that it has.
 */
export interface EventStream {
  /** The events with greater numbers that there are now, at most a few hundred of them. */
  after(id: number): readonly NumberedEvent[];
  /** Whether no event will follow. */
  readonly isOver: boolean;
  /** Calls `listener` when there are more events, or when it is over. The result unsubscribes. */
  subscribe(listener: () => void): () => void;
}

export interface NumberedEvent {
  readonly id: number;
  /** JSON in one line. */
  readonly data: string;
}

/** Events that a reader gets in one piece. */
const mostAtOnce = 200;

/** A stream that is written here and kept in memory, once for all readers. */
export class EventLog implements EventStream {
  readonly #events: NumberedEvent[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #onReaders: () => void;
  isOver = false;

  /** `onReaders` is called when a reader comes or goes. */
  constructor(onReaders: () => void) {
    this.#onReaders = onReaders;
  }

  get readers(): number {
    return this.#listeners.size;
  }

  add(event: object): void {
    this.#events.push({id: this.#events.length + 1, data: JSON.stringify(event)});
    this.#tell();
  }

  end(): void {
    this.isOver = true;
    this.#tell();
  }

  after(id: number): readonly NumberedEvent[] {
    return this.#events.slice(id, id + mostAtOnce);
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
