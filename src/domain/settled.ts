import type {Fault} from './fault.ts';

/**
 * Why an action has no result of its own. Cancelled is not an error.
 * - `declined`: a person said no
 * - `denied`: a rule or mode said no, or nobody could be asked
 * - `interrupted`: a person stopped the turn
 * - `shutdown`: weft is leaving
 * - `not-run`: what asked for it broke off before it was whole; `message` says what
 */
export type CancelReason = 'declined' | 'denied' | 'interrupted' | 'shutdown' | 'not-run';

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
