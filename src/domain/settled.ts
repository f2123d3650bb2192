import type {Fault} from './fault.ts';

/**
 * Why an action has no result of its own. Cancelled is not an error.
 * - `declined`: a person said no
 * - `denied`: a rule or mode said no, or nobody could be asked
 * - `interrupted`: a person stopped the turn
 * - `shutdown`: weft is leaving
 * - `lost`: weft ended before the result was kept; found when the session is resumed
 */
export type CancelReason = 'declined' | 'denied' | 'interrupted' | 'shutdown' | 'lost';

/** Who cancelled and in which words; `message` may be empty. */
export interface Cancellation {
  readonly reason: CancelReason;
  readonly message: string;
}

/** The three outcomes of an action. `Cut` is what the action's own cancelled result carries. */
export type Settled<Out, Cut> =
  | {readonly state: 'success'; readonly output: Out}
  | {readonly state: 'error'; readonly fault: Fault}
  | {readonly state: 'cancelled'; readonly why: Cancellation; readonly cut: Cut};
