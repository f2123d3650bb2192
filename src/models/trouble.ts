import type {Fault} from '../domain/fault.ts';
import type {ModelEvent, ModelRequest} from '../domain/model-stream.ts';

/** Why one try at a request did not end in a whole message. */
export type Trouble =
  /**
   * Another try may succeed. `message` and `fix` are for the fault in case none does; `status` is the HTTP status, 0 where
   * there was none; `retryAfterMs` is what the server asked for, 0 when it did not say. `patience` is `short` where more than a
   * few tries would only keep the user waiting: nothing listens on the user's own machine, or no host has that name.
   */
  | {
      readonly kind: 'passing';
      readonly status: number;
      readonly message: string;
      readonly fix: string;
      readonly retryAfterMs: number;
      readonly patience: 'usual' | 'short';
    }
  | {readonly kind: 'final'; readonly fault: Fault};

/**
 * What one try yields: the events of one message, and trouble at most once, as the last item. A try that ends without
 * `message-finished` and without trouble was aborted.
 */
export type TryItem =
  | {readonly kind: 'events'; readonly events: readonly ModelEvent[]}
  | {readonly kind: 'trouble'; readonly trouble: Trouble};

/** Sends the request once. It throws only on bugs, and leaves nothing open when it is abandoned. */
export type SendOnce = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<TryItem>;

/** The connection or the stream broke off, with nothing said about why. */
export const brokenOff = (message: string): Trouble => ({
  kind: 'passing',
  status: 0,
  message,
  fix: 'Check the network connection, then try again.',
  retryAfterMs: 0,
  patience: 'usual',
});
