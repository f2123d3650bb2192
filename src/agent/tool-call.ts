import type {AgentEvent, Denial, SettledCall} from '../actions/agent-event.ts';
import {
  accessOf,
  type Action,
  type ActionName,
  cancelledResult,
  definitions,
  labelOf,
  modelContent,
  resultOf,
  runAction,
  type SettledOf,
} from '../actions/catalogue.ts';
import {normalizeInput, unknownServerOf} from '../actions/decode-action.ts';
import {callEndOf} from '../actions/outcome.ts';
import type {Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import type {ToolCallBlock, ToolResultBlock} from '../domain/conversation.ts';
import {faultText, thrownFault, type Fault} from '../domain/fault.ts';
import {reasonsText, taintIn} from '../domain/reason.ts';
import {folderInstructions, reminderBlock} from '../domain/reminder.ts';
import {weftItself} from '../domain/executor.ts';
import {type Decider, noDetail} from '../domain/risk.ts';
import type {Cancellation} from '../domain/settled.ts';
import {
  changeExtent,
  type ApprovalRequest,
  approve,
  type Approved,
  deniedText,
  judgeOwnAction,
  portsForJudgedPaths,
  type VerdictWithTerms,
  withHookVerdict,
} from './approval.ts';
import {editPaths} from '../domain/file-edit.ts';
import {relativeTo} from '../base/shown-path.ts';
import type {CallAnswer} from '../actions/hooks-port.ts';
import {beginChange, noteChecks} from './checks.ts';
import {changePorts, droppedChanges} from './command-changes.ts';
import {learnResult} from './outside-text.ts';
import {
  actionPorts,
  decodeCall,
  withProgram,
  journal,
  type PromptContext,
  type SessionContext,
  publishSandbox,
} from './session-context.ts';

export interface CallsReport {
  /** The results, one for each call, in the order of the calls. */
  readonly results: readonly ToolResultBlock[];
  readonly denials: readonly Denial[];
  /** The journal's exceptions for results that it could not store. After such an exception, no further barrier call starts. */
  readonly journalErrors: readonly unknown[];
}

/** A decoded call. A call that can only end as an error has a fault instead of an action. */
interface DecodedCall {
  /** The call as the model wrote it. */
  readonly call: ToolCallBlock;
  readonly action: Outcome<Action, Fault>;
}

/** A call after the hooks that run before it and the judge. */
interface JudgedCall extends DecodedCall, VerdictWithTerms {
  /** The call as it will run. A hook may have changed its input. */
  readonly effectiveCall: ToolCallBlock;
  readonly hook: Pick<CallAnswer, 'verdict' | 'context'>;
}

interface CallReport {
  readonly call: ToolCallBlock;
  readonly content: ToolResultBlock;
  readonly denials: readonly Denial[];
  readonly journaled: {readonly state: 'written'} | {readonly state: 'failed'; readonly cause: unknown};
}

type DeniedBy = Decider | 'not-denied';

/** The maximum number of commands that run side by side. */
const maxParallelCommands = 8;

/**
 * Runs the tool calls of one answer. Neighboring calls that only read and need no approval run side by side. Every
 * other call is a barrier: it waits for the calls before it and runs alone. Results come back in the order of the
 * calls. After an abort, calls that have not started settle as cancelled.
 */
export async function runToolCalls(
  calls: readonly ToolCallBlock[],
  context: PromptContext,
  signal: AbortSignal,
): Promise<CallsReport> {
  const settling: Promise<CallReport>[] = [];
  /** The calls since the last barrier. It is not known yet whether their results could be journaled. */
  let sinceBarrier: Promise<CallReport>[] = [];
  const commands = new Set<Promise<unknown>>();
  let isJournalBroken = false;
  for (const decoded of await decodeCalls(calls, context, signal)) {
    // A call that will not run needs no verdict.
    const judged = signal.aborted ? withoutVerdict(decoded) : await judgeCall(decoded, context, signal);
    const isBarrier = !canRunInParallel(judged) || judged.verdict.decision !== 'allow';
    if (isBarrier) {
      const ended = await Promise.all(sinceBarrier);
      sinceBarrier = [];
      isJournalBroken ||= ended.some(({journaled}) => journaled.state === 'failed');
    }
    while (commands.size >= maxParallelCommands) await Promise.race(commands);
    const report =
      isBarrier && isJournalBroken
        ? settleCall(judged, unrunEnd(judged, journalBroken), context, signal)
        : runCall(judged, context, signal);
    settling.push(report);
    sinceBarrier.push(report);
    if (isBarrier) await report;
    else if (isReadOnlyCommand(judged)) {
      commands.add(report);
      void report.then(() => commands.delete(report));
    }
  }
  return reportOf(await Promise.all(settling));
}

/** Settles the calls of a broken answer without running them. */
export async function cancelToolCalls(
  calls: readonly ToolCallBlock[],
  context: PromptContext,
  signal: AbortSignal,
): Promise<CallsReport> {
  const settling = (await decodeCalls(calls, context, signal)).map(decoded =>
    settleCall(withoutVerdict(decoded), unrunEnd(decoded, answerBrokeOff), context, signal),
  );
  return reportOf(await Promise.all(settling));
}

const journalBroken: Cancellation = {
  reason: 'not-run',
  message: 'This was not run because weft could not save the session and stopped.',
};
const answerBrokeOff: Cancellation = {
  reason: 'not-run',
  message: 'This was not run because the answer that requested it was cut off.',
};

/** Decodes calls. Waits for MCP servers whose tools they name and that are not known yet. */
async function decodeCalls(
  calls: readonly ToolCallBlock[],
  {session}: PromptContext,
  signal: AbortSignal,
): Promise<readonly DecodedCall[]> {
  const unknown = calls.flatMap(({name}) => unknownServerOf(name, session.tools.sources()) ?? []);
  await Promise.all(unknown.map(server => session.ports.machine.mcp.settled(signal, server)));
  const peers = calls.some(({written}) => written !== undefined) ? await import('./peer-calls.ts') : undefined;
  const decoded = calls.map((call): DecodedCall => ({
    call,
    action:
      call.written === undefined || peers === undefined
        ? decodeCall(call.name, call.input, session)
        : withProgram(peers.decodeWritten(call.written, session.tools.sources()), session),
  }));
  session.publish(
    decoded.flatMap(({call, action}): readonly AgentEvent[] =>
      action.tag === 'ok'
        ? [{event: 'action-queued', id: call.id, action: action.value, label: labelOf(action.value)}]
        : [],
    ),
  );
  return decoded;
}

const canRunInParallel = (judged: JudgedCall): boolean =>
  (judged.action.tag === 'ok' && definitions[judged.action.value.name].scheduling === 'parallel') ||
  isReadOnlyCommand(judged);

/** True for a command that changes nothing, not even the folder in which the next command starts. */
function isReadOnlyCommand({action, verdict, terms}: JudgedCall): boolean {
  if (action.tag === 'failed') return false;
  const access = accessOf(action.value);
  return (
    access.kind === 'command' &&
    access.place === 'foreground' &&
    verdict.risk === 'read-only' &&
    !verdict.detail.mayMove &&
    terms.confinement !== 'sandbox'
  );
}

const reportOf = (reports: readonly CallReport[]): CallsReport => ({
  results: reports.map(({content}) => content),
  denials: reports.flatMap(({denials}) => denials),
  journalErrors: reports.flatMap(({journaled}) => (journaled.state === 'failed' ? [journaled.cause] : [])),
});

/**
 * Asks the hooks that run before a call, then the judge. A denial by the host stays, whatever a hook allows. A call
 * that can't be decoded has no hooks and needs no verdict: its fault is its result.
 */
async function judgeCall(decoded: DecodedCall, context: PromptContext, signal: AbortSignal): Promise<JudgedCall> {
  const {call} = decoded;
  if (decoded.action.tag === 'failed') return withoutVerdict(decoded);
  const named = {...call, input: normalizeInput(call.name, call.input)};
  const hook = await context.hooks.beforeCall(named, signal);
  const effectiveCall = hook.input === 'unchanged' ? named : {...call, input: hook.input};
  const action = hook.input === 'unchanged' ? decoded.action : decodeCall(call.name, hook.input, context.session);
  if (action.tag === 'failed') {
    const reason = `the input it returned is invalid: ${faultText(action.error)}`;
    return {...withoutVerdict(decoded), hook: {...hook, verdict: {kind: 'deny', reason}}};
  }
  const judged = withHookVerdict(await judgeOwnAction(action.value, context.session, signal), hook.verdict);
  return {call, effectiveCall, action, ...judged, hook};
}

/** Makes a harmless verdict for a call that will not run. */
const withoutVerdict = (decoded: DecodedCall): JudgedCall => ({
  ...decoded,
  effectiveCall: decoded.call,
  verdict: {decision: 'allow', risk: 'read-only', reasons: [], sessionApproval: 'exact', detail: noDetail},
  obligations: [],
  terms: nowhere.means,
  executor: nowhere,
  hook: {verdict: {kind: 'none'}, context: ''},
});

const nowhere = weftItself('');

/** How a call ended, before hooks and the journal. */
interface CallEnd {
  readonly result: SettledCall;
  /** The call as it ran. A hook, the user or a program may have changed its input. */
  readonly effectiveCall: ToolCallBlock;
  readonly deniedBy: DeniedBy;
  /** The run time, without the time a person took to decide. */
  readonly durationMs: number;
  /** Text for the model before the result. Usually empty. */
  readonly note: string;
}

function callEnd(
  {action, effectiveCall}: {readonly action: Action; readonly effectiveCall: ToolCallBlock},
  settled: SettledOf<ActionName>,
  more: Partial<Pick<CallEnd, 'deniedBy' | 'durationMs' | 'note'>> = {},
): CallEnd {
  const result: SettledCall = {tag: 'action', result: resultOf(action, settled)};
  return {...defaultEnd, result, effectiveCall, ...more};
}

const undecodableEnd = (call: ToolCallBlock, fault: Fault): CallEnd => ({
  ...defaultEnd,
  result: {tag: 'undecodable', fault},
  effectiveCall: call,
});

const defaultEnd = {deniedBy: 'not-denied', durationMs: 0, note: ''} as const;

function unrunEnd({call, action}: DecodedCall, why: Cancellation): CallEnd {
  if (action.tag === 'failed') return undecodableEnd(call, action.error);
  return callEnd({action: action.value, effectiveCall: call}, cancelledResult(action.value, why));
}

/** Takes one call from its verdict to its result: asks, runs, settles. Never throws. */
async function runCall(judged: JudgedCall, context: PromptContext, signal: AbortSignal): Promise<CallReport> {
  const {action, effectiveCall} = judged;
  const ended =
    action.tag === 'ok'
      ? await approveAndRun({...judged, action: action.value}, context, signal)
      : undecodableEnd(effectiveCall, action.error);
  if (isRefusedByHost(ended, judged)) {
    const reason = reasonsText(judged.verdict.reasons);
    await context.hooks.notify({event: 'PermissionDenied', call: ended.effectiveCall, reason}, signal);
  }
  return settleCall(judged, ended, context, signal);
}

/** True if no one decided: the mode or weft's own finding denies it, or no one can be asked. */
const isRefusedByHost = ({deniedBy}: CallEnd, {verdict}: JudgedCall): boolean =>
  deniedBy === 'nobody' || (deniedBy === 'rule' && verdict.reasons.every(({kind}) => kind !== 'rule'));

type RunnableCall = Omit<JudgedCall, 'action'> & {readonly action: Action};

async function approveAndRun(judged: RunnableCall, context: PromptContext, signal: AbortSignal): Promise<CallEnd> {
  const {call, action} = judged;
  if (signal.aborted) return callEnd(judged, cancelledResult(action, context.cancellation()));
  try {
    const denial = denialOf(judged);
    if (denial !== undefined) {
      const {by, message} = denial;
      journal(context.session, {kind: 'approval', id: call.id, label: labelOf(action), decision: 'refused', by});
      const settled = cancelledResult(action, {reason: 'denied', message});
      return callEnd(judged, settled, {deniedBy: by});
    }
    const approval = await approve(approvalRequest(judged), context, signal);
    if (approval.kind === 'approved') return await runApproved(judged, approval, context, signal);
    const {settled, deniedBy} = approval;
    return callEnd(judged, settled, {deniedBy});
  } catch (cause) {
    return callEnd(judged, thrownResult(action, cause, context, signal));
  }
}

/** Makes the request for an approval. Grants of the session apply unless a hook wants the question. */
export const approvalRequest = ({call, effectiveCall, hook, ...judged}: RunnableCall): ApprovalRequest => ({
  ...judged,
  id: call.id,
  toolName: call.name,
  call: effectiveCall,
  ask: hook.verdict.kind === 'ask' ? 'always' : 'unless-granted',
  place: 'here',
});

/** Returns why a call is denied without a question, or `undefined`. */
function denialOf({
  call,
  verdict,
  hook,
}: RunnableCall): {readonly message: string; readonly by: 'rule' | 'hook'} | undefined {
  if (verdict.decision === 'deny') return {message: deniedText(verdict), by: 'rule'};
  if (hook.verdict.kind !== 'deny') return undefined;
  return {message: `PreToolUse:${call.name} hook error: ${hook.verdict.reason}`, by: 'hook'};
}

async function runApproved(
  judged: RunnableCall,
  approved: Approved,
  context: PromptContext,
  signal: AbortSignal,
): Promise<CallEnd> {
  const {action, preview, terms, note, input} = approved;
  const {session} = context;
  const {clock} = session.ports;
  const {id} = judged.call;
  const effectiveCall = input === 'unchanged' ? judged.effectiveCall : {...judged.effectiveCall, input};
  const ran = {action, effectiveCall};
  await checkpointFor({...approved, id}, context, signal);
  if (signal.aborted) return callEnd(ran, cancelledResult(action, context.cancellation()), {note});
  const startedAt = clock.now();
  const waitedBefore = session.pending.waitedMs;
  session.publish([{event: 'action-started', id, action, preview}]);
  const endChange = beginChange(session, approved.verdict.risk);
  const observe = (chunk: string): void => session.publish([{event: 'action-output', id, chunk}]);
  const run = runApprovedAction({call: effectiveCall, approved, observe}, context, signal);
  const settled = await run.catch((cause: unknown) => thrownResult(action, cause, context, signal));
  const end = signal.aborted ? stoppedResult(action, settled, context.cancellation()) : settled;
  const durationMs = clock.now() - startedAt;
  await noteChecks({call: id, result: resultOf(action, end), ...terms, isMixed: endChange()}, session, signal);
  // The card about the changes of a command comes after its end.
  const waitedMs = terms.confinement === 'sandbox' ? session.pending.waitedMs - waitedBefore : 0;
  return callEnd(ran, end, {note, durationMs: Math.max(0, durationMs - waitedMs)});
}

/** Takes the checkpoint for an action. A command in its own view changes nothing yet. */
export async function checkpointFor(
  {id, action, verdict, terms}: Pick<Approved, 'action' | 'verdict' | 'terms'> & Pick<ToolCallBlock, 'id'>,
  {checkpoints, session}: Pick<PromptContext, 'checkpoints' | 'session'>,
  signal: AbortSignal,
): Promise<void> {
  if (verdict.risk !== 'read-only' && terms.confinement !== 'sandbox')
    await checkpoints.beforeChange(signal, await changeExtent(action, terms.directory, session), id);
}

/** Runs an approved action. Rejects if it throws. */
export function runApprovedAction(
  {
    call,
    approved: {action, preview, verdict, terms, approval},
    observe,
  }: {readonly call: ToolCallBlock; readonly approved: Approved; readonly observe: (chunk: string) => void},
  context: PromptContext,
  signal: AbortSignal,
): Promise<SettledOf<ActionName>> {
  const {session} = context;
  const ports = {
    ...actionPorts(session, call.id, context.structured),
    ...changePorts({call, action, directory: terms.directory}, context),
  };
  return session.foreground.during(call.id, background =>
    runAction(action, {
      ports: portsForJudgedPaths(ports, terms),
      signal,
      approval,
      shown: preview,
      detail: verdict.detail,
      terms,
      observe,
      background,
      terminal: 'none',
    }),
  );
}

/** Returns the result of an action that threw. */
const thrownResult = (
  action: Action,
  cause: unknown,
  context: PromptContext,
  signal: AbortSignal,
): SettledOf<ActionName> =>
  signal.aborted
    ? cancelledResult(action, context.cancellation())
    : {state: 'error', fault: thrownFault(`${labelOf(action)} failed`, cause)};

/** An action that fails after a stop request was stopped. A call that still succeeds remains a success. */
function stoppedResult(action: Action, settled: SettledOf<ActionName>, why: Cancellation): SettledOf<ActionName> {
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

/** Settles a call: asks the hooks that run after it, writes the journal, then publishes. Never throws. */
async function settleCall(
  {call, hook, verdict: {risk, reasons}}: JudgedCall,
  {result, effectiveCall, deniedBy, durationMs, note}: CallEnd,
  {session, hooks, loopGuard, checkpoints}: PromptContext,
  signal: AbortSignal,
): Promise<CallReport> {
  const ownContent = resultBlock(call, {result, note});
  if (result.tag === 'action' && deniedBy === 'not-denied')
    await learnResult(result.result, ownContent.content, session);
  const answer = await hooks.afterCall({call: effectiveCall, result, content: ownContent, durationMs}, signal);
  checkpoints.afterCall(call.id);
  const reminders = [
    hook.context,
    answer.context,
    // A reminder that fails must not lose the result.
    await session.conversation.todos.afterCall(result).catch(() => ''),
    ...folderInstructionsFor(result, session),
  ];
  const {LoopGuard} = await import('./loop-guard.ts');
  loopGuard.made ??= new LoopGuard(session.loopGuard);
  const replaced: ToolResultBlock =
    answer.modelText.kind === 'unchanged'
      ? loopGuard.made.afterCall({call, result, risk, content: ownContent}, session.conversation.messages)
      : {...ownContent, content: [{kind: 'text', text: answer.modelText.text}]};
  const content: ToolResultBlock = {
    ...replaced,
    content: [...replaced.content, ...reminders.filter(text => text !== '').map(text => reminderBlock(text))],
  };
  // A result is journaled before it is published, because a listener may look for the result in the journal at once.
  const journaled = attempt(() => journal(session, {kind: 'result', result: content}));
  session.publish([{event: 'action-settled', call, result, toolResult: content, durationMs}]);
  publishSandbox(session);
  const denials: readonly Denial[] =
    deniedBy === 'not-denied'
      ? droppedChanges(call, result)
      : [{call, by: deniedBy, of: {kind: 'call', reasons: taintIn(reasons)}}];
  return {call, content, denials, journaled};
}

/** Returns the instructions of the folders of a file that was read or edited, unless the model already has them. */
function folderInstructionsFor(
  result: SettledCall,
  {conversation: {knownInstructions}, ports, directory, publish}: SessionContext,
): readonly string[] {
  if (result.tag === 'undecodable' || result.result.settled.state !== 'success') return [];
  const access = accessOf(result.result);
  const paths = access.kind === 'read' ? access.paths : access.kind === 'edit' ? access.edits.flatMap(editPaths) : [];
  const resolved = paths.map(path => ports.machine.files.resolve(path).path);
  const found = resolved.flatMap(path => ports.workspaceState.instructionsBelow(directory, path));
  return found.flatMap(({path, text}) => {
    if (knownInstructions.has(path)) return [];
    knownInstructions.add(path);
    // A call that reads or writes the instruction file itself already has its text.
    if (resolved.includes(path)) return [];
    publish([{event: 'notice', level: 'info', text: `Read ${relativeTo(path, directory)}`}]);
    return [folderInstructions(path, ports.secrets.redact(text))];
  });
}

/** Returns what the model reads about a call, before hooks add to it. */
function resultBlock({id}: ToolCallBlock, {result, note}: Pick<CallEnd, 'result' | 'note'>): ToolResultBlock {
  if (result.tag === 'undecodable') {
    return {kind: 'tool-result', id, content: [{kind: 'text', text: faultText(result.fault)}], outcome: 'error'};
  }
  const content = modelContent(result.result);
  return {
    kind: 'tool-result',
    id,
    content: note === '' ? content : [{kind: 'text', text: note}, ...content],
    ...callEndOf(result.result),
  };
}

function attempt(write: () => void): CallReport['journaled'] {
  try {
    write();
    return {state: 'written'};
  } catch (cause) {
    return {state: 'failed', cause};
  }
}
