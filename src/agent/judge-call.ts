import type {Action} from '../actions/catalogue.ts';
import {decodeAction} from '../actions/decode-action.ts';
import type {Outcome} from '../base/outcome.ts';
import type {ToolCallBlock} from '../domain/conversation.ts';
import {causeText, faultText, type Fault} from '../domain/fault.ts';
import {noDetail, type Verdict} from '../domain/risk.ts';
import type {CallContext} from './call-context.ts';
import type {CallAnswer} from './hooks-port.ts';

export interface DecodedCall {
  /** As the model wrote it. */
  readonly call: ToolCallBlock;
  readonly action: Outcome<Action, Fault>;
}

export interface JudgedCall extends DecodedCall {
  /** As it is to run: a hook may have changed the input. */
  readonly ran: ToolCallBlock;
  readonly verdict: Verdict;
  readonly hooked: Hooked;
}

/** What hooks said before the call. */
export type Hooked = Pick<CallAnswer, 'verdict' | 'context'>;

/** Judges one action. A judge that breaks lets nothing through. */
export async function judge(action: Action, context: CallContext, signal: AbortSignal): Promise<Verdict> {
  try {
    return await context.judge.assess(action, context.mode(), signal);
  } catch (cause) {
    const reasons = [`weft could not judge it: ${causeText(cause)} (this is a fault in weft)`];
    return {decision: 'deny', risk: 'unknown', reasons, grantable: 'exact', detail: noDetail};
  }
}

/**
 * The verdict on a call, hooks heard: what the host denies stays denied, whatever a hook allows. A call that does not decode
 * has no hooks, needs no verdict and is let through to be told its fault.
 */
export async function judgeCall(entry: DecodedCall, context: CallContext, signal: AbortSignal): Promise<JudgedCall> {
  const {call, action} = entry;
  if (action.tag === 'failed') return unjudged(entry);
  const answer = await context.hooks.beforeCall(call, signal);
  const ran = answer.input === 'unchanged' ? call : {...call, input: answer.input};
  const decoded = answer.input === 'unchanged' ? action : decodeAction(call.name, answer.input, context.toolSources());
  if (decoded.tag === 'failed') {
    const reason = `the input it gave does not fit: ${faultText(decoded.error)}`;
    const hooked: Hooked = {...answer, verdict: {kind: 'deny', reason}};
    return {...entry, ran: call, verdict: letThrough, hooked};
  }
  const verdict = withHook(await judge(decoded.value, context, signal), answer.verdict);
  return {call, ran, action: decoded, verdict, hooked: answer};
}

/** A call that does not come to run: there is nothing to decide. */
export const unjudged = (entry: DecodedCall): JudgedCall => ({
  ...entry,
  ran: entry.call,
  verdict: letThrough,
  hooked: noWord,
});

function withHook(verdict: Verdict, hook: CallAnswer['verdict']): Verdict {
  if (verdict.decision === 'deny') return verdict;
  if (hook.kind === 'allow') return {...verdict, decision: 'allow'};
  if (hook.kind !== 'ask') return verdict;
  const reason = hook.reason === '' ? 'a hook wants it asked' : hook.reason;
  return {...verdict, decision: 'ask', reasons: [...verdict.reasons, reason]};
}

const letThrough: Verdict = {decision: 'allow', risk: 'read-only', reasons: [], grantable: 'exact', detail: noDetail};
const noWord: Hooked = {verdict: {kind: 'none'}, context: ''};
