import type {AgentEvent, Denial, SettledCall} from '../actions/agent-event.ts';
import type {Action, ActionName, SettledOf} from '../actions/catalogue.ts';
import type {ActionPorts} from '../actions/ports.ts';
import type {Preview} from '../actions/preview.ts';
import {
  cancelledResult,
  labelOf,
  previewAction,
  rationaleOf,
  resultOf,
  runAction,
  tellModel,
} from '../actions/settle-action.ts';
import type {Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import type {ToolCallBlock, ToolResultBlock} from '../domain/conversation.ts';
import {causeText, faultText, thrownFault, type Fault} from '../domain/fault.ts';
import type {ActionId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';
import type {PermissionMode, Verdict} from '../domain/risk.ts';
import type {Cancellation} from '../domain/settled.ts';
import type {ApprovalAnswer} from './engine.ts';
import type {PendingAnswers} from './pending-answers.ts';
import type {ClockPort, JudgePort} from './ports.ts';
import {sessionGrant} from './session-grants.ts';

/** What the calls of one prompt share. */
export interface CallContext {
  readonly judge: JudgePort;
  readonly clock: ClockPort;
  /** The effects, for one action: its questions carry its id. */
  readonly portsFor: (id: ActionId) => ActionPorts;
  readonly approvals: PendingAnswers<ApprovalAnswer | 'aborted'>;
  /** Whether a front end can answer approvals. */
  readonly asking: 'somebody' | 'nobody';
  readonly mode: () => PermissionMode;
  /** Keys of what the user allowed for this session. */
  readonly grants: Set<string>;
  readonly keep: (record: JournalRecord) => void;
  readonly publish: (events: readonly AgentEvent[]) => void;
  /** Why the prompt is being stopped, once its signal has fired. */
  readonly whyStopped: () => Cancellation;
}

export interface DecodedCall {
  readonly call: ToolCallBlock;
  readonly action: Outcome<Action, Fault>;
}

export interface CallReport {
  readonly call: ToolCallBlock;
  readonly told: ToolResultBlock;
  readonly deniedBy: Denial['by'] | 'no';
  /** Whether the journal took the result; where not, what it threw. */
  readonly kept: {readonly state: 'kept'} | {readonly state: 'lost'; readonly cause: unknown};
}

/**
 * The host's verdict; a call that does not decode needs none and is let through to be told its fault. A judge that breaks
 * lets nothing through.
 */
export function judged({action}: DecodedCall, {judge, mode}: CallContext): Verdict {
  if (action.tag === 'failed') return {decision: 'allow', risk: 'read-only', reasons: [], grantable: 'exact'};
  try {
    return judge.assess(action.value, mode());
  } catch (cause) {
    const reasons = [`weft could not judge it: ${causeText(cause)} (this is a fault in weft)`];
    return {decision: 'deny', risk: 'unknown', reasons, grantable: 'exact'};
  }
}

/** Takes one call from its verdict to its result: asks, runs, journals, publishes. Never throws. */
export async function settleCall(
  {call, action, verdict}: DecodedCall & {readonly verdict: Verdict},
  context: CallContext,
  signal: AbortSignal,
): Promise<CallReport> {
  const settled: CarriedOut =
    action.tag === 'ok'
      ? await carryOut({id: call.id, toolName: call.name, action: action.value, verdict}, context, signal)
      : {result: {tag: 'undecodable', fault: action.error}, deniedBy: 'no', durationMs: 0};
  const told = toldOf(call.id, settled.result);
  // Kept before it is told: whoever hears of a result may look for it in the journal at once.
  const kept = attempt(() => context.keep({kind: 'result', result: told}));
  const {result, durationMs} = settled;
  context.publish([{event: 'action-settled', call, result, told, durationMs}]);
  return {call, told, deniedBy: settled.deniedBy, kept};
}

function attempt(keep: () => void): CallReport['kept'] {
  try {
    keep();
    return {state: 'kept'};
  } catch (cause) {
    return {state: 'lost', cause};
  }
}

/** `durationMs` is the time it ran, without the time a person took to decide. */
interface CarriedOut {
  readonly result: SettledCall;
  readonly deniedBy: CallReport['deniedBy'];
  readonly durationMs: number;
}

interface JudgedAction<N extends ActionName> {
  readonly id: ActionId;
  readonly toolName: string;
  readonly action: Action<N>;
  readonly verdict: Verdict;
}

async function carryOut(
  {id, toolName, action, verdict}: JudgedAction<ActionName>,
  context: CallContext,
  signal: AbortSignal,
): Promise<CarriedOut> {
  let startedAt: number | undefined;
  const end = (settled: SettledOf<ActionName>, deniedBy: CallReport['deniedBy'] = 'no'): CarriedOut => ({
    result: {tag: 'action', result: resultOf(action, settled)},
    deniedBy,
    durationMs: startedAt === undefined ? 0 : context.clock.now() - startedAt,
  });
  const cancel = (why: Cancellation, deniedBy: CallReport['deniedBy'] = 'no') =>
    end(cancelledResult(action, why), deniedBy);

  if (signal.aborted) return cancel(context.whyStopped());
  const ports = context.portsFor(id);
  try {
    if (verdict.decision === 'deny') {
      context.keep({kind: 'approval', id, label: labelOf(action), decision: 'refused', by: 'rule'});
      return cancel({reason: 'denied', message: deniedText(verdict)}, 'rule');
    }
    // Before anything is looked at: what a preview says of a file is already an answer.
    const refusal = refusedUnasked({id, toolName, action, verdict}, context);
    if (refusal !== undefined) return cancel(refusal, 'nobody');
    const preview = await previewAction(action, {ports, signal});
    if (signal.aborted) return cancel(context.whyStopped());
    if (preview.tag === 'failed') return end(preview.error);
    const permission = await ask({id, toolName, action, verdict, preview: preview.value}, context, signal);
    if (permission.kind === 'refused') return cancel(permission.why, permission.by);
    startedAt = context.clock.now();
    context.publish([{event: 'action-started', id, action, preview: preview.value}]);
    const observe = (chunk: string): void => context.publish([{event: 'action-output', id, chunk}]);
    const settled = await runAction(action, {ports, signal, shown: preview.value, observe});
    if (!signal.aborted) return end(settled);
    return end(stopped(action, settled, context.whyStopped()));
  } catch (cause) {
    if (signal.aborted) return cancel(context.whyStopped());
    return end({state: 'error', fault: thrownFault(`${labelOf(action)} broke off`, cause)});
  }
}

/** What fails once it is told to stop was stopped; what succeeded all the same stays a success. */
function stopped(action: Action, settled: SettledOf<ActionName>, why: Cancellation): SettledOf<ActionName> {
  switch (settled.state) {
    case 'success':
      return settled;
    case 'error':
      return cancelledResult(action, why);
    case 'cancelled':
      return {...settled, why};
    default:
      return unreachable(settled);
  }
}

type Permission =
  | {readonly kind: 'granted'}
  | {readonly kind: 'refused'; readonly why: Cancellation; readonly by: CallReport['deniedBy']};

/** Why an action that would be asked about is refused without asking: nobody is there, or nobody wants to be asked. */
function refusedUnasked(
  {id, action, verdict}: JudgedAction<ActionName>,
  context: CallContext,
): Cancellation | undefined {
  if (context.asking === 'somebody' && context.mode() !== 'dontAsk') return undefined;
  if (verdict.decision === 'allow' || context.grants.has(sessionGrant(action, verdict).key)) return undefined;
  context.keep({kind: 'approval', id, label: labelOf(action), decision: 'refused', by: 'nobody'});
  return {reason: 'denied', message: nobodyText(verdict, context.asking)};
}

async function ask(
  {id, toolName, action, verdict, preview}: JudgedAction<ActionName> & {readonly preview: Preview},
  context: CallContext,
  signal: AbortSignal,
): Promise<Permission> {
  const grant = sessionGrant(action, verdict);
  if (verdict.decision === 'allow' || context.grants.has(grant.key)) return {kind: 'granted'};
  const label = labelOf(action);
  // The wait begins before the question is published: a listener may answer at once.
  const waiting = context.approvals.wait(id, 'aborted', signal);
  context.publish([
    {
      event: 'approval-requested',
      approval: {
        id,
        toolName,
        action,
        label,
        preview,
        verdict,
        rationale: rationaleOf(action),
        sessionGrant: grant.words,
      },
    },
  ]);
  const answer = await waiting;
  if (answer === 'aborted') {
    context.publish([{event: 'approval-settled', id, decision: 'refused'}]);
    return {kind: 'refused', why: context.whyStopped(), by: 'no'};
  }
  const decision = answer.decision === 'allow' ? 'allowed' : 'refused';
  context.keep({kind: 'approval', id, label, decision, by: 'user'});
  context.publish([{event: 'approval-settled', id, decision}]);
  switch (answer.decision) {
    case 'allow':
      if (answer.scope === 'session') context.grants.add(grant.key);
      return {kind: 'granted'};
    case 'refuse':
      return {kind: 'refused', why: {reason: 'declined', message: answer.message}, by: 'user'};
    default:
      return unreachable(answer);
  }
}

function toldOf(id: ActionId, settled: SettledCall): ToolResultBlock {
  if (settled.tag === 'undecodable') {
    return {kind: 'tool-result', id, content: [{kind: 'text', text: faultText(settled.fault)}], outcome: 'error'};
  }
  return {kind: 'tool-result', id, content: tellModel(settled.result), outcome: settled.result.settled.state};
}

const deniedText = ({reasons}: Verdict): string =>
  `Not permitted: ${reasons.join('; ')}. Go on without it, or say what you would have done.`;

function nobodyText({reasons}: Verdict, asking: CallContext['asking']): string {
  const why = asking === 'nobody' ? 'nobody can be asked here' : 'the user does not want to be asked';
  return `Not permitted: this needs the user's approval (${reasons.join('; ')}) and ${why}. Go on without it, or say what you would have done.`;
}
