import {hasEnded} from '../domain/sub-agent.ts';
import {mayBeTooLong, shortenOldResults} from './compaction/shorten-results.ts';
import type {AgentEvent, Denial, PromptEnd, PromptSummary} from '../actions/agent-event.ts';
import {todoTools} from '../actions/outcome.ts';
import {
  blockTexts,
  cutLength,
  messageText,
  providerSearches,
  toolCalls,
  type AssistantMessage,
  type TextBlock,
  type UserMessage,
} from '../domain/conversation.ts';
import {type Outcome, tryOr} from '../base/outcome.ts';
import {type Fault, type RefusedLength, thrownFault, unknownLength} from '../domain/fault.ts';
import {draftOf, planText} from '../domain/plan.ts';
import {askedToCheck, reminderBlock, serverInstructionsBlock} from '../domain/reminder.ts';
import type {Thinking} from '../domain/model-stream.ts';
import {addUsage, contextTokens, noUsage, type Usage} from '../domain/usage.ts';
import {streamAnswer, refusedLengthOf, type ModelAnswer, withoutDeclined} from './answer.ts';
import {changedEffort, environmentNote} from './context/environment.ts';
import {showChecks} from './checks.ts';
import {endCommands} from './context/prompt-command.ts';
import {acceptSteering, beginPrompt} from './context/prompt-intake.ts';
import {goalIn, resultsId} from '../domain/history.ts';
import type {PromptConditions} from './conditions.ts';
import type {StopInput} from '../actions/hooks-port.ts';
import type {Reservation} from './cost-budget.ts';
import {journal, nextRequest, warn, type PromptContext, type SessionContext} from './session-context.ts';
import {cancelToolCalls, runToolCalls, type CallsReport} from './tool-call.ts';
import type {WaitingPrompt} from './work-queue.ts';

const emptyReport: CallsReport = {results: [], denials: [], journalErrors: []};

/**
 * Runs one prompt to its end: request, answer, tool calls, results, and again until the model makes no more calls, a
 * limit is reached, something fails or the signal fires. Everything it started has settled when it returns. Never
 * throws.
 */
export async function runPrompt(
  prompt: WaitingPrompt,
  context: PromptContext,
  signal: AbortSignal,
): Promise<PromptSummary> {
  const stats = new PromptStats(context);
  try {
    const begun = await beginPrompt(prompt, context, signal);
    stats.addDenials(begun.denials);
    const taken = begun.kind === 'begun' ? await takeTurns(context, stats, signal) : begun.end;
    const end = withoutDeclined(taken, stats.results === 0 ? 'none' : 'some', context.session);
    if (end.kind === 'done') stats.conditions?.settle();
    return stats.summary(end);
  } catch (cause) {
    return stats.summary({kind: 'failed', fault: thrownFault('The prompt failed', cause)});
  } finally {
    await endCommands(context.session);
  }
}

/** Carries out a prompt that is a command of weft, such as `/compact`. The answer is what `run` returns. Never throws. */
export async function runOwnCommand(
  {
    prompt,
    name,
    run,
  }: {
    readonly prompt: WaitingPrompt;
    readonly name: string;
    readonly run: (signal: AbortSignal) => Promise<Outcome<string, Fault>>;
  },
  context: PromptContext,
  signal: AbortSignal,
): Promise<PromptSummary> {
  const {session} = context;
  const stats = new PromptStats(context);
  session.publish([{event: 'prompt-accepted', id: prompt.id, text: prompt.text, attached: []}]);
  try {
    const done = await run(signal);
    if (signal.aborted) return stats.summary({kind: 'interrupted'});
    if (done.tag === 'failed') return stats.summary({kind: 'not-sent', why: 'failed', fault: done.error});
    if (done.value !== '') session.publish(answerEvents(done.value, session));
    return {...stats.summary({kind: 'done'}), answer: done.value, stop: 'end-turn', command: name};
  } catch (cause) {
    return stats.summary({kind: 'failed', fault: thrownFault('The command failed', cause)});
  }
}

/** The events of an answer that weft itself wrote. The answer is not part of the conversation. */
function answerEvents(text: string, {ports, model}: SessionContext): readonly AgentEvent[] {
  const message = ports.ids.message();
  const block = {kind: 'text', text} as const;
  const whole = {role: 'assistant', id: message, model, blocks: [block], stop: 'end-turn', usage: noUsage} as const;
  return [
    {event: 'message-started', message, model, usage: noUsage},
    {event: 'block-started', message, index: 0, block: {kind: 'text'}},
    {event: 'block-delta', message, index: 0, delta: block},
    {event: 'block-finished', message, index: 0, block},
    {event: 'message-finished', message: whole},
  ];
}

/** The maximum number of times that weft continues an answer that the provider paused. */
const maxPauses = 9;

/** How many consecutive answers may be cut at the output limit before the prompt ends. `call`: the cut was inside a tool call. */
const maxCuts = {answer: 2, call: 3} as const;

/** Limits the cost of a stop hook that always blocks. */
const maxStopHookBlocks = 25;

async function takeTurns(context: PromptContext, stats: PromptStats, signal: AbortSignal): Promise<PromptEnd> {
  const {session, hooks} = context;
  stats.conditions = await loadConditions(context);
  const prepared = await stats.conditions?.prepare(signal);
  if (prepared !== undefined && prepared.kind !== 'note') return prepared;
  if (prepared !== undefined && prepared.text !== '') addReminder([reminderBlock(prepared.text)], session);
  session.plans.testSteps = async (steps, stepSignal) => {
    stats.conditions ??= await loadConditions(context);
    return (await stats.conditions?.checkSteps(steps, stepSignal)) ?? [];
  };
  let round: StopInput['round'] = 'first';
  let stopHookBlocks = 0;
  let hasCorrected = false;
  let pauses = 0;
  let cuts = {answer: 0, call: 0};
  let cut: Cut = 'none';
  let lostParts = 0;
  // A request that is too long is repaired and repeated once.
  let isRepeated = false;
  for (;;) {
    const limit = stats.limitReached();
    if (limit !== undefined) return limit;
    const servers = await session.ports.machine.mcp.ready(signal);
    if (servers.tag === 'failed') return {kind: 'failed', fault: servers.error};
    await session.ports.machine.skills.ready(signal);
    await session.ports.agentKinds.ready(signal);
    await session.tools.ready();
    await acceptSteering(context, signal);
    if (signal.aborted) return {kind: 'interrupted'};
    if (hooks.stopped !== undefined) return {kind: 'stopped-by-hook', ...hooks.stopped};
    addReminder(session.agents.takeNotes().map(reminderBlock), session);
    const notes = [...environmentNote(session, {at: 'turn'}), ...changedEffort(session)];
    addReminder([...notes, ...serverInstructions(session)], session);
    shortenOldResults(session);
    if (!isRepeated && mayBeTooLong(session)) {
      const room = await (await loadMakeRoom()).makeRoomBefore(context, signal);
      if (signal.aborted) return {kind: 'interrupted'};
      if (room.kind === 'stopped') return {kind: 'failed', fault: room.fault};
    }

    const reserved = await session.budget.reserve(
      async () => (await loadCosts()).expectedCost(nextRequest(session), 'conversation', session),
      signal,
    );
    if (reserved.kind === 'aborted') return {kind: 'interrupted'};
    if (reserved.kind === 'spent') return {kind: 'max-cost', usd: reserved.usd};
    stats.beginTurn(cut);
    const thinking = cut === 'thinking' ? ({kind: 'brief'} as const) : session.thinking;
    const turn = await takeTurn(context, {stats, reserved, thinking}, signal).finally(() => reserved.settle('unknown'));
    const isAsked = stats.asked !== 'none';
    const uncorrected = stats.uncorrected;
    stats.uncorrected = 'none';
    if (turn.kind === 'ended') {
      if (uncorrected !== 'none' && turn.end.kind === 'failed') return stats.endWith(uncorrected);
      // weft asks about a plan's open steps after the final answer, so a failure of that question does not affect the answer.
      return isAsked && turn.end.kind === 'failed' ? stats.endAsAnswered() : turn.end;
    }
    if (turn.kind === 'answered' && session.plans.savedPlan !== 'none') return {kind: 'done'};
    if (turn.kind === 'too-long' || stats.last.stop === 'context-full') {
      const make = await loadMakeRoom();
      const {refused, fault} = turn.kind === 'too-long' ? turn : {refused: make.fullLength(session), fault: undefined};
      const room = await make.makeRoomAfter({refused, fault, isRepeated}, context, signal);
      if (signal.aborted) return {kind: 'interrupted'};
      if (room.kind === 'stopped') return isAsked ? stats.endAsAnswered() : {kind: 'failed', fault: room.fault};
      isRepeated = true;
      // A refused request and its repetition are one turn.
      if (turn.kind === 'too-long') stats.turns -= 1;
      else if (turn.calls === 0) addReminder([reminderBlock(goOnText)], session);
      continue;
    }
    isRepeated = false;
    pauses = stats.last.stop === 'paused' ? pauses + 1 : 0;
    if (pauses > maxPauses)
      return (await loadAskAgain()).failedEnd(
        `The provider paused its answer ${pauses} times in a row.`,
        'Try again later.',
      );
    if (pauses > 0) continue;

    if (stats.last.stop === 'refusal') return {kind: 'failed', fault: declinedFault(stats.last, session)};
    const isAnswered = isAsked || uncorrected !== 'none' || context.structured.value().kind === 'value';
    const lost = lostPartOf(stats.last, {...turn, isAnswered});
    lostParts = lost === 'none' ? 0 : lostParts + 1;
    if (lost !== 'none') {
      const {repair, user, model, end} = (await loadAskAgain()).lostNotes[lost];
      if (lostParts > 1 && end !== undefined) return end;
      if (lostParts === 1 && stats.limitReached() === undefined) {
        session.publish([{event: 'repaired', repair, text: user, leftOut: []}]);
        addReminder([reminderBlock(model(stats.last.unread, session))], session);
        continue;
      }
    }
    cut = cutOf(stats.last);
    const cutPart = cut === 'call' ? cut : 'answer';
    cuts = cut === 'none' ? {answer: 0, call: 0} : {...cuts, [cutPart]: cuts[cutPart] + 1};
    if (cuts[cutPart] >= maxCuts[cutPart]) return (await loadAskAgain()).cutEnd[cutPart](cuts[cutPart]);
    const looping = context.loopGuard.made?.afterTurn();
    if (looping !== undefined) return {kind: 'failed', fault: looping};
    if (stats.conditions?.end !== undefined) return stats.conditions.end;
    if (cut === 'text' || cut === 'thinking') {
      const {user, model} = (await loadAskAgain()).cutNotes[cut];
      session.publish([{event: 'repaired', repair: `cut-${cut}`, text: user, leftOut: []}]);
      addReminder([reminderBlock(model)], session);
      continue;
    }

    if (isAsked && !onlyUpdatesTodos(stats.last.message)) stats.asked = 'none';
    else if (isAsked && session.plans.openSteps.length === 0) return stats.endAsAnswered();
    const step = context.structured.afterTurn(turn);
    if (step.kind === 'ask-again') {
      addReminder([reminderBlock(step.text)], session);
      session.publish([{event: 'sent-on', text: step.text}]);
      continue;
    }
    if (step.kind === 'go-on' && turn.calls > 0) continue;
    if (step.kind === 'end' && step.end.kind !== 'done') return step.end;

    if (await session.agents.hasNotes(session.backgroundAgents === 'left' ? 'look' : 'wait', signal)) continue;
    const verdict = await hooks.beforeStop({answer: turn.text, round}, signal);
    if (signal.aborted) return {kind: 'interrupted'};
    if (verdict.kind === 'block') {
      stopHookBlocks += 1;
      if (stopHookBlocks <= maxStopHookBlocks) {
        const text = `Stop hook feedback:\n${verdict.reason}`;
        addReminder([{kind: 'text', text}], session);
        session.publish([{event: 'sent-on', text}]);
        round = 'again';
        continue;
      }
      if (stopHookBlocks === maxStopHookBlocks + 1)
        warn(session, `Stopped: a hook kept the model going ${maxStopHookBlocks} times.`);
    }
    stats.conditions ??= await loadConditions(context);
    const met = await stats.conditions?.check({limit: stats.limitReached(), calls: stats.results}, signal);
    if (met?.kind === 'end') return met.end;
    if (met?.kind === 'go-on') {
      addReminder([reminderBlock(met.text)], session);
      continue;
    }
    if (session.asker === 'main' && mayHaveWorked(session) && maybeClaim.test(turn.text)) {
      const doubts = await (await import('./check-claims.ts')).unprovenClaims(turn.text, session, signal);
      if (signal.aborted) return {kind: 'interrupted'};
      const canCorrect = !hasCorrected && stats.limitReached() === undefined;
      for (const [at, doubt] of doubts.entries())
        warn(session, canCorrect && at === doubts.length - 1 ? `${doubt} ${askedToCheck}` : doubt);
      if (doubts.length > 0 && canCorrect) {
        hasCorrected = true;
        stats.uncorrected = stats.last;
        addReminder([reminderBlock([...doubts, correctText].join('\n'))], session);
        continue;
      }
    }
    const canAsk = stats.results > 0 && stats.limitReached() === undefined;
    const question = canAsk ? session.plans.takeQuestion() : '';
    if (question === '') return {kind: 'done'};
    stats.asked = stats.last;
    addReminder([reminderBlock(question)], session);
  }
}

/** Returns the conditions of the prompt if the session has any. */
async function loadConditions(context: PromptContext): Promise<PromptConditions | undefined> {
  const {conditions, conversation, plans} = context.session;
  if (conditions.required.length + plans.goals.length === 0 && goalIn(conversation.journal.records) === '')
    return undefined;
  return new (await import('./conditions.ts')).PromptConditions(context);
}

/** The part that the output limit cut: a text, a tool call, or thinking before anything else came. */
type Cut = 'none' | 'text' | 'call' | 'thinking';

function cutOf({message, stop}: LastAnswer): Cut {
  const calls = message === undefined ? [] : toolCalls(message);
  if (calls.some(({input}) => cutLength(input) !== undefined)) return 'call';
  if (stop !== 'max-tokens' || calls.length > 0) return 'none';
  return message === undefined ? 'thinking' : 'text';
}

/** The provider's safeguards stopped the answer. */
const declinedFault = ({message, explanation}: LastAnswer, {promptModel, model}: SessionContext): Fault => ({
  kind: 'provider',
  message: `${message?.model ?? promptModel ?? model} declined to answer${explanation === '' ? '.' : `: ${explanation}`}`,
  fix: 'Rephrase the prompt, or use another model.',
  status: 0,
  refusal: {kind: 'policy'},
});

type LostPart = 'none' | 'unread' | 'missing' | 'empty';

/** Returns what an answer lacks: a call that weft can read, the call that it announces, or everything. */
function lostPartOf(
  {unread, stop}: LastAnswer,
  {calls, text, isAnswered}: {readonly calls: number; readonly text: string; readonly isAnswered: boolean},
): LostPart {
  if (unread !== '') return 'unread';
  if (calls > 0) return 'none';
  if (stop === 'tool-use') return 'missing';
  return stop === 'end-turn' && text.trim() === '' && !isAnswered ? 'empty' : 'none';
}

/** False in a session that called no tool, such as a talk. */
const mayHaveWorked = (session: SessionContext): boolean =>
  session
    .owner()
    .conversation.journal.records.some(({kind}) => kind === 'result' || kind === 'receipt' || kind === 'checkpoint');

/** Matches answers that may say that a check passed. Most answers don't, and cost nothing more. */
export const maybeClaim =
  /(?:test|suite|spec|build|built|compil|lint|type|tsc|check|clippy|ruff|mypy|projekt|everything|all|alles|error|failure|fehler|prueba|テスト|тест|全部|一切|所有|测试|单测|用例|类型|构建|编译|打包|检查|`)[^]{0,120}(?:pass|green|clean|succe|happy|exit|errors|warnings|issues|problem|fine|good|fail|left|remain|nichts|✅|✓|✔|grün|durch|bestanden|bestehen|sauber|erfolg|fehl|work|gone|resolve|fixed|ok|läuft|klappt|behoben|weg|pasa|passa|verts|成功|通り|パス|通過|проход|прошли|пройден|通过|修复|恢复|成功|跑通|无误|正常|完成|绿|错误|报错|警告|问题|失败)|\b(?:no|zero|0) \S{0,12} ?(?:errors|fail\w+|warnings)|全绿|失败的测试|keine \S{0,12}fehl|[✅✓✔]|compiles|kompiliert/iu;

const correctText =
  'Run the check now, or correct the claim if you cannot. Then write your final answer again: it replaces this one.';

const onlyUpdatesTodos = (message: AssistantMessage | undefined): boolean =>
  message === undefined || toolCalls(message).every(({name}) => todoTools.has(name));

const goOnText = 'Your answer was cut off because the context was full. There is room again: go on where it stopped.';

export const loadMakeRoom = () => import('./compaction/make-room.ts');
const loadAskAgain = () => import('./ask-again.ts');
const loadCosts = () => import('./context/context-usage.ts');

/** The result of a turn. `calls` is the number of tool calls in the answer. */
type Turn =
  | {readonly kind: 'ended'; readonly end: PromptEnd}
  /** There is no answer, because the request is too long. `fault` is the provider's fault, if it refused the request. */
  | {readonly kind: 'too-long'; readonly refused: RefusedLength; readonly fault: Fault | undefined}
  | {readonly kind: 'answered'; readonly text: string; readonly calls: number};

/** Takes one turn: a request to the model, its answer, and the answer's tool calls. */
async function takeTurn(
  context: PromptContext,
  {
    stats,
    reserved,
    thinking,
  }: {readonly stats: PromptStats; readonly reserved: Reservation; readonly thinking: Thinking},
  signal: AbortSignal,
): Promise<Turn> {
  const {session} = context;
  const {messages} = session.conversation;
  session.publish([{event: 'turn-started', turn: stats.turns}]);
  // Memory grows with answers and results, so it is checked before each request and not by a timer.
  const memoryWarning = session.ports.memory.warning();
  if (memoryWarning !== '') warn(session, memoryWarning);

  const answer = await stats.timed(streamAnswer(context, thinking, signal));
  keepAnswer(answer, session, stats);
  // The reservation is settled now, because sub-agents that the calls start need the rest of the budget.
  reserved.settle(costOf(answer, session));
  const calls = answer.message === undefined ? [] : toolCalls(answer.message);
  const {begun} = session.owner().checks;
  // The calls of a broken answer settle too, as cancelled: history needs a result for each.
  const report =
    calls.length === 0
      ? emptyReport
      : await (answer.end === 'failed' ? cancelToolCalls : runToolCalls)(calls, context, signal);
  if (session.owner().checks.begun !== begun) await showChecks(session, signal);
  context.checkpoints.afterTurn(isResting(session) ? 'resting' : 'running');
  stats.addCalls(report);
  if (answer.message !== undefined && report.results.length > 0) {
    messages.push({role: 'user', id: resultsId(answer.message), blocks: report.results});
  }
  if (report.journalErrors.length > 0) throw report.journalErrors[0];
  const refused = refusedLengthOf(answer) ?? (await guessedLengthOf(answer, session));
  if (refused !== undefined && answer.message === undefined) {
    return {kind: 'too-long', refused, fault: answer.end === 'failed' ? answer.fault : undefined};
  }
  if (answer.end === 'failed') return {kind: 'ended', end: {kind: 'failed', fault: answer.fault}};
  if (signal.aborted) return {kind: 'ended', end: {kind: 'interrupted'}};
  const text = answer.message === undefined ? '' : messageText(answer.message);
  return {kind: 'answered', text, calls: calls.length};
}

/** Returns an unknown length if the provider gave no other reason to refuse a large request. */
async function guessedLengthOf(answer: ModelAnswer, session: SessionContext): Promise<RefusedLength | undefined> {
  if (answer.end !== 'failed' || answer.fault.kind !== 'provider') return undefined;
  const {refusal} = answer.fault;
  if (refusal.kind !== 'maybe-too-long') return undefined;
  return (await loadMakeRoom()).isLarge(session, refusal.hint) ? unknownLength : undefined;
}

/** True if the session has neither commands nor sub-agents in the background. */
const isResting = ({ports, agents}: SessionContext): boolean =>
  tryOr(() => ports.workspaceState.runningCommands().length === 0, false) &&
  agents.rows().every(({status}) => hasEnded(status));

const costOf = ({message, usage}: ModelAnswer, {ports, promptModel, model}: SessionContext): number | 'unknown' =>
  ports.model.facts(message?.model ?? promptModel ?? model).costOf(usage);

/** Warns once if a provider took more tokens than the model has room for. Some providers silently drop the beginning. */
function warnOfOverflow(model: string, usage: Usage, session: SessionContext): void {
  const {knownFacts} = session.conversation;
  const {contextWindow} = session.ports.model.facts(model);
  const tokens = contextTokens(usage) - usage.outputTokens;
  if (contextWindow === 0 || tokens <= contextWindow || knownFacts.overflowOf === model) return;
  knownFacts.overflowOf = model;
  const [sent, room] = [tokens.toLocaleString('en-US'), contextWindow.toLocaleString('en-US')];
  warn(
    session,
    `${model} took ${sent} tokens, but has room for ${room}, so the provider may have dropped the beginning. Make room with /compact. If the room is larger, set models.${model}.contextWindow.`,
  );
}

/** Says once a session that the cost of a model is an estimate. A line about a repeat already tells of broken answers. */
function warnOfEstimate(model: string, usage: Usage, session: SessionContext): void {
  const {asker, conversation, ports} = session;
  const isCounted = usage.estimated !== true || usage.lostTokens !== undefined;
  const cost = !isCounted && asker === 'main' ? ports.model.facts(model).costOf(usage) : 'unknown';
  if (cost === 'unknown' || cost === 0) return;
  if (conversation.usage.report().models[model]?.usage.estimated === true) return;
  warn(session, `The provider didn't count all tokens of ${model}, so its cost is an estimate.`);
}

/** Journals the answer before it joins the conversation, which must not depend on anything that was not journaled. */
function keepAnswer(
  {message, usage, stop, end, explanation, unread}: ModelAnswer,
  session: SessionContext,
  stats: PromptStats,
): void {
  const {conversation} = session;
  const model = message?.model ?? session.promptModel ?? session.model;
  if (end === 'complete') {
    warnOfOverflow(model, usage, session);
    warnOfEstimate(model, usage, session);
  }
  if (usage !== noUsage) stats.addUsage(usage, model, message === undefined ? 0 : providerSearches(message));
  if (message !== undefined) {
    if (end !== 'complete') journal(session, {kind: 'answer', message});
  } else if (usage !== noUsage) journal(session, {kind: 'usage', model, usage});
  if (message !== undefined) conversation.messages.push(message);
  if (end === 'complete' || message !== undefined) stats.last = {message, stop, explanation, unread};
  if (message !== undefined) session.publish([{event: 'message-finished', message}]);
  session.publish([{event: 'usage-changed', usage: conversation.usage.report()}]);
}

/** Adds a message that is not a prompt. Does nothing without blocks. */
function addReminder(blocks: readonly TextBlock[], session: SessionContext): void {
  if (blocks.length === 0) return;
  const message: UserMessage = {role: 'user', id: session.ports.ids.message(), blocks};
  journal(session, {kind: 'reminder', message});
  session.conversation.messages.push(message);
}

/** Returns the instructions of MCP servers whose tools are offered, unless the conversation already holds them. */
function serverInstructions({ports, conversation}: SessionContext): readonly TextBlock[] {
  const {mcp} = ports.machine;
  const blocks = mcp
    .servers()
    .filter(({name, instructions}) => instructions !== '' && mcp.tools().some(({server}) => server === name))
    .map(serverInstructionsBlock);
  if (blocks.length === 0) return [];
  const given = new Set(conversation.messages.flatMap(message => blockTexts(message.blocks)));
  return blocks.filter(({text}) => !given.has(text));
}

interface LastAnswer extends Pick<ModelAnswer, 'message' | 'stop' | 'explanation' | 'unread'> {}

/** The usage and results of one prompt so far. */
class PromptStats {
  turns = 0;
  /** The number of tool results that the model was given. */
  results = 0;
  /** The latest answer. A complete answer may be empty. */
  last: LastAnswer = {message: undefined, stop: 'interrupted', explanation: '', unread: ''};
  /** The final answer before weft asked about open steps of a plan, if the agent has only replied to that question since. */
  asked: LastAnswer | 'none' = 'none';
  /** The final answer before weft asked to correct a claim in it, until the next turn. */
  uncorrected: LastAnswer | 'none' = 'none';
  conditions: PromptConditions | undefined;
  /** The text of the answers before the latest one that it continues, because they were cut. */
  #cutText = '';
  readonly #context: PromptContext;
  readonly #startedAt: number;
  readonly #waitedBefore: number;
  readonly #denials: Denial[] = [];
  #modelMs = 0;
  #usage: Usage = noUsage;
  #webSearches = 0;

  constructor(context: PromptContext) {
    this.#context = context;
    this.#startedAt = this.#now();
    this.#waitedBefore = context.session.pending.waitedMs;
  }

  addUsage(usage: Usage, model: string, searches: number): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#webSearches += searches;
    this.#context.session.conversation.usage.add(model, usage, searches);
  }

  addCalls({results, denials}: CallsReport): void {
    this.results += results.length;
    this.addDenials(denials);
  }

  addDenials(denials: readonly Denial[]): void {
    this.#denials.push(...denials);
  }

  /** Called before a turn. Keeps the text of the latest answer if the turn continues it. */
  beginTurn(cut: Cut): void {
    this.turns += 1;
    const {message} = this.last;
    this.#cutText = cut === 'text' && message !== undefined ? this.#cutText + messageText(message) : '';
  }

  /** Ends with the answer that was final before the question. */
  endAsAnswered(): PromptEnd {
    const {asked} = this;
    this.asked = 'none';
    return this.endWith(asked === 'none' ? this.last : asked);
  }

  endWith(answer: LastAnswer): PromptEnd {
    this.last = answer;
    return {kind: 'done'};
  }

  async timed<T>(request: Promise<T>): Promise<T> {
    const before = this.#now();
    try {
      return await request;
    } finally {
      this.#modelMs += this.#now() - before;
    }
  }

  limitReached(): PromptEnd | undefined {
    const {budget, limits, conversation, model, promptModel} = this.#context.session;
    const {maxTurns} = limits;
    if (maxTurns !== 'unlimited' && this.turns >= maxTurns) return {kind: 'max-turns', turns: maxTurns};
    const least = conversation.usage.minCostAfterNext(promptModel ?? model) - conversation.usage.costUsd;
    const usd = budget.limitExceededBy(least);
    return usd === undefined ? undefined : {kind: 'max-cost', usd};
  }

  summary(end: PromptEnd): PromptSummary {
    const structured = this.#context.structured.value();
    const {message, stop} = this.last;
    const {savedPlan} = this.#context.session.plans;
    const asked = this.asked === 'none' ? undefined : this.asked.message;
    const last = this.#cutText + (message === undefined ? '' : messageText(message));
    const text = last === '' && asked !== undefined ? messageText(asked) : last;
    return {
      end,
      answer:
        structured.kind === 'value'
          ? JSON.stringify(structured.value)
          : savedPlan === 'none'
            ? text
            : planText(draftOf(savedPlan)),
      stop,
      turns: this.turns,
      results: this.results,
      durationMs: this.#now() - this.#startedAt,
      modelMs: this.#modelMs,
      waitedMs: this.#context.session.pending.waitedMs - this.#waitedBefore,
      usage: this.#usage,
      webSearches: this.#webSearches,
      sessionUsage: this.#context.session.conversation.usage.report(),
      denials: [...this.#denials, ...this.#context.session.agents.takeDenials()],
      // The engine adds them when everything has settled.
      checks: [],
      structured,
    };
  }

  #now(): number {
    return this.#context.session.ports.clock.now();
  }
}
