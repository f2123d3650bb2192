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
