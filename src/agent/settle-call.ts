import type {Denial, SettledCall} from '../actions/agent-event.ts';
import type {Action, ActionName, SettledOf} from '../actions/catalogue.ts';
import {cancelledResult, labelOf, previewAction, resultOf, runAction, tellModel} from '../actions/settle-action.ts';
import {unreachable} from '../base/unreachable.ts';
import type {ToolCallBlock, ToolResultBlock} from '../domain/conversation.ts';
import {faultText, thrownFault} from '../domain/fault.ts';
import type {ActionId} from '../domain/ids.ts';
import {reminderBlock} from '../domain/reminder.ts';
import type {Cancellation} from '../domain/settled.ts';
import {askPermission, refusedUnasked, type Asked} from './ask-permission.ts';
import type {CallContext} from './call-context.ts';
import type {ResultAnswer} from './hooks-port.ts';
import type {JudgedCall} from './judge-call.ts';
import {deniedText} from './refusal-text.ts';
import {portsWithin, takeAnswer, type Chosen} from './take-answer.ts';

export interface CallReport {
  readonly call: ToolCallBlock;
  readonly told: ToolResultBlock;
  readonly deniedBy: Denial['by'] | 'no';
  /** Whether the journal took the result; where not, what it threw. */
  readonly kept: {readonly state: 'kept'} | {readonly state: 'lost'; readonly cause: unknown};
}

/** Takes one call from its verdict to its result: asks, runs, journals, publishes. Never throws. */
export async function settleCall(judged: JudgedCall, context: CallContext, signal: AbortSignal): Promise<CallReport> {
  const {call, action, ran} = judged;
  const settled: CarriedOut =
    action.tag === 'ok'
      ? await carryOut({...judged, action: action.value}, context, signal)
      : {...unchanged, result: {tag: 'undecodable', fault: action.error}, ran};
  const {result, durationMs} = settled;
  const bare = toldOf(call.id, settled);
  const hooked = await context.hooks.afterCall({call: settled.ran, result, told: bare, durationMs}, signal);
  const reminders = [
    judged.hooked.context,
    hooked.context,
    // No result is lost for want of a reminder.
    await context.reminderAfter(result).catch(() => ''),
  ];
  const told = reminders.reduce(withReminder, replaced(bare, hooked.told));
  // Kept before it is told: whoever hears of a result may look for it in the journal at once.
  const kept = attempt(() => context.keep({kind: 'result', result: told}));
  context.publish([{event: 'action-settled', call, result, told, durationMs}]);
  return {call, told, deniedBy: settled.deniedBy, kept};
}

const replaced = (told: ToolResultBlock, by: ResultAnswer['told']): ToolResultBlock =>
  by.kind === 'unchanged' ? told : {...told, content: [{kind: 'text', text: by.text}]};

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
  readonly ran: ToolCallBlock;
  readonly deniedBy: CallReport['deniedBy'];
  readonly durationMs: number;
  /** What the model is told ahead of the result; empty mostly. */
  readonly preface: string;
  /** `error`: the model is told of it as of an error, however it settled. */
  readonly toldAs: 'as-settled' | 'error';
}

const unchanged = {deniedBy: 'no', durationMs: 0, preface: '', toldAs: 'as-settled'} as const;

async function carryOut(
  judged: Omit<JudgedCall, 'action'> & {readonly action: Action},
  context: CallContext,
  signal: AbortSignal,
): Promise<CarriedOut> {
  const {call, verdict, hooked} = judged;
  const {id, name} = call;
  let startedAt: number | undefined;
  let {action, ran} = judged;
  let preface = '';
  const end = (
    settled: SettledOf<ActionName>,
    more: Partial<Pick<CarriedOut, 'deniedBy' | 'toldAs'>> = {},
  ): CarriedOut => ({
    ...unchanged,
    result: {tag: 'action', result: resultOf(action, settled)},
    ran,
    durationMs: startedAt === undefined ? 0 : context.clock.now() - startedAt,
    preface,
    ...more,
  });
  const cancel = (why: Cancellation): CarriedOut => end(cancelledResult(action, why));

  if (signal.aborted) return cancel(context.whyStopped());
  const ports = context.portsFor(id);
  try {
    const forbidden = forbiddenBy(judged);
    if (forbidden !== undefined) {
      const {why, by} = forbidden;
      context.keep({kind: 'approval', id, label: labelOf(action), decision: 'refused', by});
      return end(cancelledResult(action, why), {deniedBy: by, toldAs: by === 'hook' ? 'error' : 'as-settled'});
    }
    const asked: Asked = {
      id,
      toolName: name,
      action,
      verdict,
      ask: hooked.verdict.kind === 'ask' ? 'always' : 'unless-granted',
    };
    // Before anything is looked at: what a preview says of a file is already an answer.
    const refusal = refusedUnasked(asked, context);
    if (refusal !== undefined) return end(cancelledResult(action, refusal), {deniedBy: 'nobody'});
    const preview = await previewAction(action, {ports: portsWithin(ports, verdict.detail), signal});
    if (signal.aborted) return cancel(context.whyStopped());
    if (preview.tag === 'failed') return end(preview.error);
    let now: Chosen = {next: 'ask', action, verdict, shown: preview.value, preface};
    while (now.next === 'ask') {
      const ask = now.action === action ? asked.ask : 'edited';
      const question = {...asked, ask, action: now.action, verdict: now.verdict, preview: now.shown};
      // oxlint-disable-next-line no-await-in-loop -- what is asked about next depends on the answer
      const permission = await askPermission(question, context, signal);
      if (permission.kind === 'refused') {
        const {why, by, voice} = permission;
        return end(cancelledResult(action, why), {deniedBy: by, toldAs: voice === 'program' ? 'error' : 'as-settled'});
      }
      // oxlint-disable-next-line no-await-in-loop -- each answer is judged in its turn
      const chosen = await takeAnswer(permission, {...now, tool: name, own: action}, {...context, ports, signal});
      if (signal.aborted) return cancel(context.whyStopped());
      if (chosen.tag === 'failed') return end(chosen.error.settled, {deniedBy: chosen.error.deniedBy});
      now = chosen.value;
      if (permission.kind === 'updated') ran = {...ran, input: permission.input};
    }
    const {shown} = now;
    const {detail, risk} = now.verdict;
    ({action, preface} = now);
    if (risk !== 'read-only') await context.checkpoints.beforeChange(signal);
    if (signal.aborted) return cancel(context.whyStopped());
    startedAt = context.clock.now();
    context.publish([{event: 'action-started', id, action, preview: shown}]);
    const observe = (chunk: string): void => context.publish([{event: 'action-output', id, chunk}]);
    const settled = await runAction(action, {ports: portsWithin(ports, detail), signal, shown, detail, observe});
    return end(signal.aborted ? stopped(action, settled, context.whyStopped()) : settled);
  } catch (cause) {
    if (signal.aborted) return cancel(context.whyStopped());
    return end({state: 'error', fault: thrownFault(`${labelOf(action)} broke off`, cause)});
  }
}

/** What needs no question because the answer is no. */
function forbiddenBy({
  call,
  verdict,
  hooked,
}: Omit<JudgedCall, 'action'>): {readonly why: Cancellation; readonly by: 'rule' | 'hook'} | undefined {
  if (verdict.decision === 'deny') return {why: {reason: 'denied', message: deniedText(verdict)}, by: 'rule'};
  if (hooked.verdict.kind !== 'deny') return undefined;
  const message = `PreToolUse:${call.name} hook error: ${hooked.verdict.reason}`;
  return {why: {reason: 'denied', message}, by: 'hook'};
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

function toldOf(id: ActionId, {result, preface, toldAs}: CarriedOut): ToolResultBlock {
  if (result.tag === 'undecodable') {
    return {kind: 'tool-result', id, content: [{kind: 'text', text: faultText(result.fault)}], outcome: 'error'};
  }
  const content = tellModel(result.result);
  return {
    kind: 'tool-result',
    id,
    content: preface === '' ? content : [{kind: 'text', text: preface}, ...content],
    outcome: toldAs === 'error' ? 'error' : result.result.settled.state,
  };
}
