import type {AgentEvent, Denial, SettledCall} from '../actions/agent-event.ts';
import type {Action, ActionName, SettledOf} from '../actions/catalogue.ts';
import {noVictims, type ActionPorts, type VictimsPort} from '../actions/ports.ts';
import type {Preview} from '../actions/preview.ts';
import {
  cancelledResult,
  citationsOf,
  labelOf,
  previewAction,
  rationaleOf,
  resultOf,
  runAction,
  tellModel,
  withCommand,
} from '../actions/settle-action.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import type {ToolCallBlock, ToolResultBlock} from '../domain/conversation.ts';
import {causeText, faultText, thrownFault, type Fault} from '../domain/fault.ts';
import type {ActionId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {reminderBlock} from '../domain/reminder.ts';
import {noDetail, type PermissionMode, type Verdict} from '../domain/risk.ts';
import type {Cancellation} from '../domain/settled.ts';
import type {PromptCheckpoints} from './checkpoint-keeper.ts';
import type {ApprovalAnswer} from './engine.ts';
import type {PendingAnswers} from './pending-answers.ts';
import type {ClockPort, JudgePort} from './ports.ts';
import {sessionGrant} from './session-grants.ts';

/** What the calls of one prompt share. */
export interface CallContext {
  readonly judge: JudgePort;
  readonly victims: VictimsPort;
  readonly checkpoints: PromptCheckpoints;
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
  /** What the model is to be reminded of behind this result; mostly empty. */
  readonly reminderAfter: (settled: SettledCall) => Promise<string>;
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
export async function judged({action}: DecodedCall, context: CallContext, signal: AbortSignal): Promise<Verdict> {
  return action.tag === 'failed'
    ? {decision: 'allow', risk: 'read-only', reasons: [], grantable: 'exact', detail: noDetail}
    : judge(action.value, context, signal);
}

async function judge(action: Action, context: CallContext, signal: AbortSignal): Promise<Verdict> {
  try {
    return await context.judge.assess(action, context.mode(), signal);
  } catch (cause) {
    const reasons = [`weft could not judge it: ${causeText(cause)} (this is a fault in weft)`];
    return {decision: 'deny', risk: 'unknown', reasons, grantable: 'exact', detail: noDetail};
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
      : {result: {tag: 'undecodable', fault: action.error}, deniedBy: 'no', durationMs: 0, preface: ''};
  // No result is lost for want of a reminder.
  const reminder = await context.reminderAfter(settled.result).catch(() => '');
  const told = withReminder(toldOf(call.id, settled), reminder);
  // Kept before it is told: whoever hears of a result may look for it in the journal at once.
  const kept = attempt(() => context.keep({kind: 'result', result: told}));
  const {result, durationMs} = settled;
  context.publish([{event: 'action-settled', call, result, told, durationMs}]);
  return {call, told, deniedBy: settled.deniedBy, kept};
}

const withReminder = (told: ToolResultBlock, reminder: string): ToolResultBlock =>
  reminder === '' ? told : {...told, content: [...told.content, reminderBlock(reminder)]};

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
  /** What the model is told ahead of the result; empty mostly. */
  readonly preface: string;
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
  let chosen: Chosen = {action, preface: ''};
  const end = (settled: SettledOf<ActionName>, deniedBy: CallReport['deniedBy'] = 'no'): CarriedOut => ({
    result: {tag: 'action', result: resultOf(chosen.action, settled)},
    deniedBy,
    durationMs: startedAt === undefined ? 0 : context.clock.now() - startedAt,
    preface: chosen.preface,
  });
  const cancel = (why: Cancellation, deniedBy: CallReport['deniedBy'] = 'no') =>
    end(cancelledResult(chosen.action, why), deniedBy);

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
    let shown = preview.value;
    let {detail, risk} = verdict;
    if (permission.kind === 'edited') {
      const edited = await takeEdited({action, command: permission.command}, context, signal);
      if (edited.tag === 'failed') return cancel(edited.error, 'rule');
      chosen = edited.value;
      ({detail, risk} = edited.value.verdict);
      const again = await previewAction(chosen.action, {ports, signal});
      if (signal.aborted) return cancel(context.whyStopped());
      if (again.tag === 'failed') return end(again.error);
      shown = again.value;
    }
    if (risk !== 'read-only') await context.checkpoints.beforeChange(signal);
    if (signal.aborted) return cancel(context.whyStopped());
    startedAt = context.clock.now();
    context.publish([{event: 'action-started', id, action: chosen.action, preview: shown}]);
    const observe = (chunk: string): void => context.publish([{event: 'action-output', id, chunk}]);
    const settled = await runAction(chosen.action, {ports, signal, shown, detail, observe});
    if (!signal.aborted) return end(settled);
    return end(stopped(chosen.action, settled, context.whyStopped()));
  } catch (cause) {
    if (signal.aborted) return cancel(context.whyStopped());
    return end({state: 'error', fault: thrownFault(`${labelOf(chosen.action)} broke off`, cause)});
  }
}

/** What runs in the end, and what the model must know of it. */
interface Chosen {
  readonly action: Action;
  readonly preface: string;
}

/** The user's own words need no further approval; what a rule or a mode forbids stays forbidden. */
async function takeEdited(
  {action, command}: {readonly action: Action; readonly command: string},
  context: CallContext,
  signal: AbortSignal,
): Promise<Outcome<Chosen & {readonly verdict: Verdict}, Cancellation>> {
  const edited = withCommand(action, command);
  if (edited === undefined) {
    return failed({reason: 'declined', message: 'The user answered with a command, but this is no command.'});
  }
  const verdict = await judge(edited, context, signal);
  if (verdict.decision === 'deny') return failed({reason: 'denied', message: deniedText(verdict)});
  return ok({action: edited, preface: `[The user changed the command; what ran is: ${command}]`, verdict});
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
  | {readonly kind: 'edited'; readonly command: string}
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
  const victims = verdict.detail.destroys.length === 0 ? noVictims : await victimsOf(verdict, context, signal);
  if (signal.aborted) return {kind: 'refused', why: context.whyStopped(), by: 'no'};
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
        victims,
        citations: citationsOf(action),
      },
    },
  ]);
  const answer = await waiting;
  if (answer === 'aborted') {
    context.publish([{event: 'approval-settled', id, decision: 'refused'}]);
    return {kind: 'refused', why: context.whyStopped(), by: 'no'};
  }
  const decision = answer.decision === 'refuse' ? 'refused' : 'allowed';
  context.keep({kind: 'approval', id, label, decision, by: 'user'});
  context.publish([{event: 'approval-settled', id, decision}]);
  switch (answer.decision) {
    case 'allow':
      if (answer.scope === 'session') context.grants.add(grant.key);
      return {kind: 'granted'};
    case 'allow-rule': {
      const added = await context.judge.allow(answer.rule, answer.lasting);
      if (added.tag === 'failed') {
        context.publish([{event: 'notice', level: 'warning', text: faultText(added.error)}]);
      }
      return {kind: 'granted'};
    }
    case 'allow-edited':
      return {kind: 'edited', command: answer.command};
    case 'refuse':
      return {kind: 'refused', why: {reason: 'declined', message: answer.message}, by: 'user'};
    default:
      return unreachable(answer);
  }
}

/** Looking for victims must not keep anybody from answering: where it breaks, the card has none. */
async function victimsOf({detail}: Verdict, {victims}: CallContext, signal: AbortSignal) {
  try {
    return await victims.find(detail.destroys, signal);
  } catch {
    return noVictims;
  }
}

function toldOf(id: ActionId, {result, preface}: CarriedOut): ToolResultBlock {
  if (result.tag === 'undecodable') {
    return {kind: 'tool-result', id, content: [{kind: 'text', text: faultText(result.fault)}], outcome: 'error'};
  }
  const content = tellModel(result.result);
  return {
    kind: 'tool-result',
    id,
    content: preface === '' ? content : [{kind: 'text', text: preface}, ...content],
    outcome: result.result.settled.state,
  };
}

const deniedText = ({reasons}: Verdict): string =>
  `Not permitted: ${reasons.join('; ')}. Go on without it, or say what you would have done.`;

function nobodyText({reasons}: Verdict, asking: CallContext['asking']): string {
  const why = asking === 'nobody' ? 'nobody can be asked here' : 'the user does not want to be asked';
  return `Not permitted: this needs the user's approval (${reasons.join('; ')}) and ${why}. Go on without it, or say what you would have done.`;
}
