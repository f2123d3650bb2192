import type {Outcome} from '../base/outcome.ts';
import type {Fault} from './fault.ts';

/**
 * Why an action was cancelled. A cancelled action is not a failed one.
 * - `declined`: a person refused the approval
 * - `denied`: a rule or the mode refused it, or no user could be asked
 * - `interrupted`: a person interrupted the turn
 * - `shutdown`: weft is shutting down
 * - `not-run`: the model's answer with the call broke off before it was complete; `message` says what happened
 */
export const cancelReasons = ['declined', 'denied', 'interrupted', 'shutdown', 'not-run'] as const;
export type CancelReason = (typeof cancelReasons)[number];

/** Why an action was cancelled, with the message of the person or rule that cancelled it. `message` may be empty. */
export interface Cancellation {
  readonly reason: CancelReason;
  readonly message: string;
}

/** How an action ended, in one of three states. `PartialOutput` is the type of a cancelled action's output. */
export type Settled<Out, PartialOutput> =
  | {readonly state: 'success'; readonly output: Out}
  | {readonly state: 'error'; readonly fault: Fault}
  | {readonly state: 'cancelled'; readonly why: Cancellation; readonly partial: PartialOutput};

/** Converts the outcome of an action's work to how the action ended. */
export const settledBy = <Out>(outcome: Outcome<Out, Fault>): Settled<Out, never> =>
  outcome.tag === 'ok' ? {state: 'success', output: outcome.value} : {state: 'error', fault: outcome.error};

export const interrupted = <PartialOutput>(partial: PartialOutput): Settled<never, PartialOutput> => ({
  state: 'cancelled',
  why: {reason: 'interrupted', message: ''},
  partial,
});
