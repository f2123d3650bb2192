import {
  type CompactionMethod,
  type CompactionPreview,
  type CompactionReport,
  type CompactionTrigger,
  type CountedPart,
  estimateMessagesTokens,
  estimateTokens,
  groupDigits,
  type SummaryCost,
} from '../../domain/compaction.ts';
import type {AgentEvent} from '../../actions/agent-event.ts';
import type {ModelPort, ModelRequest} from '../../domain/model-stream.ts';
import {parseUserCommand} from '../../domain/user-command.ts';
import {clip} from '../../base/clip.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type Message, messageText} from '../../domain/conversation.ts';
import {type Fault, faultText, type RefusedLength, rejected, thrownFault} from '../../domain/fault.ts';
import {trimHistory} from '../../domain/history.ts';
import type {MessageId} from '../../domain/ids.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import {isReminder} from '../../domain/reminder.ts';
import {noUsage, type Usage} from '../../domain/usage.ts';
import {type ModelAnswer, readAnswer, refusedLengthOf} from '../answer.ts';
import {estimateText, isUnusual} from '../../domain/cost-estimate.ts';
import {expectedCost, leastSavedShare, nextCost, type RequestSize, requestSize} from '../context/context-usage.ts';
import {PromptHooks} from '../prompt-hooks.ts';
import {journal, nextRequest, type SessionContext, warn} from '../session-context.ts';
import {
  type CompactionDraft,
  type CompactionPlan,
  type CompactionSources,
  draftCompaction,
  isOrdinaryMessage,
} from './draft-compaction.ts';

export interface CompactionContext {
  readonly session: SessionContext;
  /** True if the preview is no longer wanted: the caller withdrew it, or the engine is closing. */
  readonly isUnwanted: () => boolean;
  /** Reads the conversation again from its journal. */
  readonly reopen: () => void;
}

/** Milliseconds for reading the changed files. Files that are not read in this time are listed only by name. */
const draftTimeoutMs = 10_000;

/** The content of a preview, and the state of the session it is based on. */
interface Proposal extends CompactionPlan {
  readonly records: readonly JournalRecord[];
  readonly length: number;
  readonly size: RequestSize;
}

/** A requested compaction. */
export interface CompactionWish {
  readonly trigger: CompactionTrigger;
  /** `trim`: the model is not asked for a summary. */
  readonly way: CompactionMethod;
  /** The user's instructions for the summary. Often empty. */
  readonly instructions: string;
  /** The length that the provider named when it refused the conversation as too long. */
  readonly refused?: RefusedLength;
}

/**
 * Compacts a conversation in two steps. The preview shows the result, with a summary by the model or, if the model gives none, without.
 * The second step carries it out.
 */
export class Compactor {
  #proposal: Proposal | undefined;

  async preview(
    wish: CompactionWish,
    context: CompactionContext,
    signal: AbortSignal,
  ): Promise<Outcome<CompactionPreview, Fault>> {
    const {session} = context;
    const {trigger} = wish;
    const hooks = new PromptHooks(session.ports.hooks, session.publish);
    const verdict = await hooks.beforeCompaction(wish, signal);
    if (verdict.kind === 'block') return failed(rejected(`A hook stopped the compaction: ${verdict.reason}`));
    const request = nextRequest(session);
    this.#proposal = undefined;
    if (!request.messages.some(isOrdinaryMessage)) {
      return failed(rejected(nothingYet));
    }
    const sources = {session, request, size: requestSize(request, session, wish.refused)};
    const problem = await compactionProblem(wish, sources);
    if (problem !== '') return failed(rejected(problem));
    const estimate = nextCost(session, summaryAnswerTokens);
    const isFree = wish.way === 'trim' || keptSummary(wish.instructions, sources) !== undefined;
    const text = isFree ? '' : estimateText(estimate);
    session.publish([{event: 'compaction-begun', trigger, estimate: text}]);
    if (trigger === 'auto' && text !== '' && isUnusual(estimate))
      warn(session, `Summarizing the conversation: ${text}.`);
    try {
      return await this.#propose(wish, {...sources, isUnwanted: context.isUnwanted}, signal);
    } finally {
      session.publish([{event: 'compaction-ended', trigger}]);
    }
  }

  /** Carries out the previewed compaction. Computes it again, because files and commands may have changed since. */
  async carryOut(
    wanted: {readonly preview: MessageId; readonly summary: string},
    {session, reopen}: CompactionContext,
  ): Promise<Outcome<CompactionReport, Fault>> {
    const {records} = session.conversation.journal;
    const proposal = this.#proposal;
    const isSame =
      proposal?.id === wanted.preview && proposal.records === records && proposal.length === records.length;
    if (!isSame) {
      return failed(rejected('The conversation has changed since the preview. Run /compact again.'));
    }
    this.#proposal = undefined;
    const {id, trigger, way, size} = proposal;
    const edited = way === 'trim' ? '' : session.ports.secrets.redact(wanted.summary.trim());
    const plan: CompactionPlan = {id, trigger, way, summary: edited === '' ? proposal.summary : edited};
    const sources = {session, request: nextRequest(session), size};
    const {messages, tokens} = await draftCompaction(plan, sources, AbortSignal.timeout(draftTimeoutMs));
    journal(session, {kind: 'compaction', ...plan, messages, tokens});
    session.conversation.keptSummary = undefined;
    reopen();
    const report = {trigger, way, tokens};
    session.publish([{event: 'compacted', report}]);
    const hooks = new PromptHooks(session.ports.hooks, session.publish);
    await hooks.notify({event: 'PostCompact', trigger, summary: plan.summary}, new AbortController().signal);
    return ok(report);
  }

  async #propose(
    {trigger, way, instructions}: CompactionWish,
    {isUnwanted, ...sources}: CompactionSources & Pick<CompactionContext, 'isUnwanted'>,
    signal: AbortSignal,
  ): Promise<Outcome<CompactionPreview, Fault>> {
    const {session, request, size} = sources;
    const {ports, conversation} = session;
    const {records} = conversation.journal;
    const {contextTokens} = conversation.usage.report();
    const id = ports.ids.message();
    const summary =
      way === 'trim'
        ? missingSummary(request.model)
        : (keptSummary(instructions, sources) ?? (await paidSummary(instructions, sources, signal)));
    if (summary.kind === 'written')
      conversation.keptSummary = {text: summary.text, instructions, last: request.messages.at(-1)?.id};
    const cost = costOf(summary, session);
    recordCost(summary, session, contextTokens);
    if (isUnwanted()) return failed(rejected('The preview was withdrawn.'));
    const trim: CompactionPlan = {id, trigger, way: 'trim', summary: earlierSummary(records, request)};
    let plan: CompactionPlan =
      summary.kind === 'written' ? {id, trigger, way: 'summary', summary: ports.secrets.redact(summary.text)} : trim;
    let noSummaryReason = summary.kind === 'none' ? summary.why : '';
    let draft = await draftCompaction(plan, sources, AbortSignal.timeout(draftTimeoutMs));
    if (trigger === 'auto' && plan.way === 'summary' && savesTooLittle(draft, trigger, sources)) {
      plan = trim;
      noSummaryReason = 'The summary was too long.';
      draft = await draftCompaction(plan, sources, AbortSignal.timeout(draftTimeoutMs));
    }
    if (trigger === 'auto' && savesTooLittle(draft, trigger, sources)) return failed(rejected(problemOf[trigger]));
    this.#proposal = {...plan, records, length: records.length, size};
    return ok({
      ...plan,
      summary: plan.way === 'summary' ? plan.summary : '',
      noSummaryReason,
      ...countCompaction(plan, {draft, messages: request.messages}),
      tokens: draft.tokens,
      before: draft.before,
      cost,
    });
  }
}

export const notShorter = 'The conversation stays as it is: it would not get shorter.';
const nothingYet = 'Nothing to compact yet.';

/** The reasons why a compaction of the user changes nothing. They are successes for the user. */
export const pointless: ReadonlySet<string> = new Set([notShorter, nothingYet]);

const problemOf = {manual: notShorter, auto: 'weft found too little to shorten.'} as const;
/** The minimum saving for a compaction that the user wants: estimated tokens, and a share of the conversation. */
export const leastSaved = 100;
const leastShare = 0.05;

/** True if a compaction isn't worth its cost, or if the provider would probably refuse its result again. */
function savesTooLittle(
  {messages}: Pick<CompactionDraft, 'messages'>,
  trigger: CompactionTrigger,
  {request, size}: CompactionSources,
): boolean {
  const before = estimateMessagesTokens(request.messages);
  const least =
    trigger === 'auto' ? (size.fixed + before) * leastSavedShare : Math.max(leastSaved, before * leastShare);
  return before - estimateMessagesTokens(messages) < least;
}

/** The least tokens of the system prompt and the tools. If the provider counts more than weft estimates, the messages may be the reason. */
export const fixedTokens = ({fixed, shown}: RequestSize): number => fixed * Math.min(1, shown.scale);

/**
 * Returns why a compaction would not make the conversation shorter, if a new summary is as long as the earlier one.
 * Empty if the compaction helps. Sends nothing.
 */
async function compactionProblem({trigger, way}: CompactionWish, sources: CompactionSources): Promise<string> {
  const {session, request, size} = sources;
  const least = fixedTokens(size);
  if (trigger === 'auto' && size.window > 0 && least >= size.window) {
    const [fixed, window] = [Math.round(least), size.window].map(groupDigits);
    return `The conversation stays as it is: the system prompt and the tools alone take about ${fixed} of ${window} tokens.`;
  }
  const summary = earlierSummary(session.conversation.journal.records, request);
  const plan = {id: session.ports.ids.message(), trigger, way, summary};
  const draft = await draftCompaction(plan, sources, AbortSignal.timeout(draftTimeoutMs));
  return savesTooLittle(draft, trigger, sources) ? problemOf[trigger] : '';
}

/** The usual length of a summary, in tokens. */
const summaryAnswerTokens = 2000;

const missingSummary = (model: string, why = ''): Summary => ({
  kind: 'none',
  why,
  refused: undefined,
  usage: noUsage,
  model,
});

/** Returns the last summary if only prompts have followed it: a compaction keeps these word for word. */
function keptSummary(instructions: string, {session, request}: CompactionSources): Summary | undefined {
  const kept = session.conversation.keptSummary;
  const at = request.messages.findLastIndex(({id}) => id === kept?.last);
  if (kept === undefined || kept.instructions !== instructions || at === -1) return undefined;
  if (request.messages.slice(at + 1).some(({role}) => role === 'assistant')) return undefined;
  return {kind: 'written', text: kept.text, usage: noUsage, model: request.model};
}

/** Asks for a summary if the cost limit allows it. */
async function paidSummary(instructions: string, sources: CompactionSources, signal: AbortSignal): Promise<Summary> {
  const {session, request} = sources;
  const reserved = await session.budget.reserve(async () => expectedCost(request, 'conversation', session), signal);
  if (reserved.kind === 'spent') return missingSummary(request.model, 'A summary would exceed the cost limit.');
  if (reserved.kind === 'aborted') return missingSummary(request.model, 'The summary was stopped.');
  let usd: number | 'unknown' = 'unknown';
  try {
    const summary = await summaryOf(instructions, sources, signal);
    const cost = costOf(summary, session);
    usd = cost.kind === 'used' ? cost.usd : 0;
    return summary;
  } finally {
    reserved.settle(usd);
  }
}

/** Asks for a summary, of a shorter conversation if the provider finds it too long. */
async function summaryOf(
  instructions: string,
  {session, request, size}: CompactionSources,
  signal: AbortSignal,
): Promise<Summary> {
  const {ports} = session;
  const ask = (messages: readonly Message[]): Promise<Summary> =>
    writeSummary(
      {
        request: {...request, messages},
        id: ports.ids.message(),
        instructions: ports.secrets.redact(instructions),
        timeoutMs: summaryTimeoutMs,
        onWait: session.publish,
      },
      ports.model,
      signal,
    );
  const asked = withinLimit(request.messages, size);
  const first = asked.length === 0 ? missingSummary(request.model, tooLongForSummary) : await ask(asked);
  if (first.kind === 'written' || first.refused === undefined || signal.aborted) return first;
  const again = withinLimit(asked, requestSize({...request, messages: asked}, session, first.refused));
  return again.length === 0 || again === asked ? first : ask(again);
}

const tooLongForSummary = 'The conversation is too long for a summary.';

/** Estimated tokens of the request for a summary, without the conversation. */
const summaryPromptTokens = 500;

/** Returns the messages, shortened if the request for a summary would be too long otherwise. An earlier summary stays. */
function withinLimit(messages: readonly Message[], {limit, scale, fixed}: RequestSize): readonly Message[] {
  const most = limit / scale - fixed - summaryPromptTokens;
  if (estimateMessagesTokens(messages) <= most) return messages;
  const earlier = messages.filter(message => !isOrdinaryMessage(message));
  const trimmed = trimHistory(messages.filter(isOrdinaryMessage), most - estimateMessagesTokens(earlier)).messages;
  return trimmed.length === 0 ? [] : [...earlier, ...trimmed];
}

/** Journals and publishes the usage of the summary request, which leaves the length of the conversation unchanged. */
function recordCost({usage, model}: Summary, session: SessionContext, contextTokens: number): void {
  if (usage === noUsage) return;
  const meter = session.conversation.usage;
  journal(session, {kind: 'usage', model, usage});
  meter.add(model, usage, 0);
  if (contextTokens > 0) meter.expect(contextTokens);
  session.publish([{event: 'usage-changed', usage: meter.report()}]);
}

const costOf = ({usage, model}: Summary, {ports}: SessionContext): SummaryCost =>
  usage === noUsage ? {kind: 'none'} : {kind: 'used', usage, usd: ports.model.facts(model).costOf(usage)};

/** Returns the summary of an earlier compaction, which is carried over if there is no new one. */
function earlierSummary(records: readonly JournalRecord[], request: ModelRequest): string {
  const earlier = new Set(request.messages.filter(message => !isOrdinaryMessage(message)).map(({id}) => id));
  const last = records.findLast(record => record.kind === 'compaction' && earlier.has(record.id));
  return last?.kind === 'compaction' ? clip(last.summary, maxCarriedSummary) : '';
}

/** UTF-16 units. */
const maxCarriedSummary = 24_000;

type Counts = Pick<CompactionPreview, 'kept' | 'summarised' | 'dropped'>;

/** Counts what a compaction keeps, summarizes and drops, in words and numbers. Leaves out empty parts. */
function countCompaction(
  {way, summary}: {readonly way: CompactionMethod; readonly summary: string},
  {draft, messages}: {readonly draft: CompactionDraft; readonly messages: readonly Message[]},
): Counts {
  const {carried, trimmed, omittedMessages, scale} = draft;
  const {messages: verbatim, instructions, skills, todos, running, changedFiles} = carried;
  const pinned = verbatim.filter(({state}) => state === 'pinned');
  const prompts = verbatim.filter(({state}) => state === 'unpinned');
  const texts = (parts: readonly string[]): number => Math.round(estimateTokens(parts.join('\n')) * scale);
  const kept = [
    ...(way === 'trim' && summary !== '' ? part(1, 'earlier', texts([summary])) : []),
    ...part(pinned.length, 'pinned', texts(pinned.map(({text}) => text))),
    ...part(prompts.length, 'userMessage', texts(prompts.map(({text}) => text))),
    ...part(trimmed.messages.length, 'latest', Math.round(estimateMessagesTokens(trimmed.messages) * scale)),
    ...part(instructions.length, 'instructions', texts(instructions.map(({text}) => text))),
    ...part(skills.length, 'skill', texts(skills.map(skill => skill.instructions))),
    ...part(todos.length, 'todo', texts(todos)),
    ...part(running.length, 'running', texts(running)),
    ...part(changedFiles.length, 'changedFile', texts(changedFiles)),
  ];
  const left = part(omittedMessages.length, 'leftMessage', texts(omittedMessages.map(({text}) => text)));
  if (way === 'trim') {
    const shorter = part(trimmed.shortenedResults, 'shortened', 0);
    return {kept, summarised: [], dropped: [...part(trimmed.droppedExchanges, 'exchange', 0), ...shorter, ...left]};
  }
  const pins = new Set(pinned.map(({id}) => id));
  const summed = messages.filter(message => isOrdinaryMessage(message)).map(message => withoutPinned(message, pins));
  const {answers, calls, thinking, besides, commands} = countMessages(summed);
  const earlier = messages.length - messages.filter(isOrdinaryMessage).length;
  const scaled = ({count, tokens}: Sum, what: keyof typeof partNames): readonly CountedPart[] =>
    part(count, what, Math.round(tokens * scale));
  return {
    kept,
    summarised: [
      ...part(earlier, 'earlier', 0),
      ...scaled(answers, 'answer'),
      ...scaled(calls, 'call'),
      ...scaled(commands, 'command'),
      ...left,
    ],
    dropped: [...scaled(thinking, 'thinking'), ...scaled(besides, 'besides')],
  };
}

/** Removes the text of a pinned answer, because the pinned text is kept. */
const withoutPinned = (message: Message, pins: ReadonlySet<MessageId>): Message =>
  message.role === 'assistant' && pins.has(message.id)
    ? {...message, blocks: message.blocks.filter(({kind}) => kind !== 'text')}
    : message;

const part = (count: number, what: keyof typeof partNames, tokens: number): readonly CountedPart[] =>
  count === 0 ? [] : [{what: `${count} ${partNames[what][count === 1 ? 0 : 1]}`, tokens}];

/** The words for each part, singular and plural. */
const partNames = {
  pinned: ['pinned message, word for word', 'pinned messages, word for word'],
  userMessage: ['user message, word for word', 'user messages, word for word'],
  leftMessage: ["user message that doesn't fit", "user messages that don't fit"],
  latest: ['message of the latest exchanges', 'messages of the latest exchanges'],
  instructions: ['instruction file, read again', 'instruction files, read again'],
  skill: ['skill, word for word', 'skills, word for word'],
  todo: ['open todo', 'open todos'],
  running: ['running command', 'running commands'],
  changedFile: ['changed file, by name and hash', 'changed files, by name and hash'],
  earlier: ['earlier summary', 'earlier summaries'],
  command: ['command of the user with its output', 'commands of the user with their outputs'],
  exchange: ['old exchange', 'old exchanges'],
  shortened: ['long result, cut to its beginning', 'long results, cut to their beginnings'],
  answer: ['answer', 'answers'],
  call: ['tool call with its result', 'tool calls with their results'],
  thinking: ['thinking block', 'thinking blocks'],
  besides: ['image or attachment', 'images or attachments'],
} as const;

interface Sum {
  count: number;
  tokens: number;
}

function countMessages(
  messages: readonly Message[],
): Readonly<Record<'answers' | 'calls' | 'thinking' | 'besides' | 'commands', Sum>> {
  const sums = {answers: sum(), calls: sum(), thinking: sum(), besides: sum(), commands: sum()};
  const count = (to: Sum, message: Message, blocks: number): void => {
    to.count += blocks;
    to.tokens += estimateMessagesTokens([message]);
  };
  for (const message of messages) {
    if (message.role === 'user') {
      if (parseUserCommand(messageText(message)) !== undefined) {
        count(sums.commands, message, 1);
        continue;
      }
      const results = message.blocks.filter(({kind}) => kind === 'tool-result');
      const words = message.blocks.findIndex(({kind}) => kind === 'text');
      // weft tells its own notes again.
      const besides = message.blocks.filter(
        (block, at) => block.kind !== 'tool-result' && at !== words && !isReminder(block),
      );
      count(sums.calls, {...message, blocks: results}, 0);
      if (besides.length > 0) count(sums.besides, {...message, blocks: besides}, besides.length);
      continue;
    }
    const of = (...kinds: readonly string[]): Message & {role: 'assistant'} => ({
      ...message,
      blocks: message.blocks.filter(({kind}) => kinds.includes(kind)),
    });
    const [texts, calls, thinking] = [of('text'), of('tool-call', 'other'), of('thinking', 'sealed-thinking')];
    if (texts.blocks.length > 0) count(sums.answers, texts, 1);
    if (calls.blocks.length > 0) count(sums.calls, calls, calls.blocks.length);
    if (thinking.blocks.length > 0) count(sums.thinking, thinking, thinking.blocks.length);
  }
  return sums;
}

const sum = (): Sum => ({count: 0, tokens: 0});

/** The model's summary, or a sentence that says why there is none. Both include the usage of the request. */
type Summary = {readonly usage: Usage; readonly model: string} & (
  | {readonly kind: 'written'; readonly text: string}
  /** `refused`: the conversation was too long. */
  | {readonly kind: 'none'; readonly why: string; readonly refused: RefusedLength | undefined}
);

/** Milliseconds for the model to write a summary. */
const summaryTimeoutMs = 180_000;

/** The maximum number of UTF-16 units of a summary. A longer summary is cut. */
const maxSummary = 24_000;

/**
 * Asks the model for a summary. The request only appends to the previous one, so it is read from the provider's cache.
 * It offers the tools only for this reason: calls are not run. Never throws, and ends soon after an abort.
 */
export async function writeSummary(
  wanted: {
    readonly request: ModelRequest;
    readonly id: MessageId;
    readonly instructions: string;
    readonly timeoutMs: number;
    /** Gets the waits before retries. */
    readonly onWait: (events: readonly AgentEvent[]) => void;
  },
  model: ModelPort,
  signal: AbortSignal,
): Promise<Summary> {
  const {request, id, instructions, timeoutMs, onWait} = wanted;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const either = AbortSignal.any([signal, timeout.signal]);
  const none = (why: string, usage: Usage, refused?: RefusedLength): Summary => ({
    kind: 'none',
    why,
    refused,
    usage,
    model: request.model,
  });
  try {
    const blocks = [{kind: 'text', text: summaryPrompt(instructions)}] as const;
    const messages = [...request.messages, {role: 'user', id, blocks} as const];
    const onBatch = async (events: readonly AgentEvent[]): Promise<void> => {
      const waits = events.filter(({event}) => event === 'retrying');
      if (waits.length > 0) onWait(waits);
    };
    const answer = await readAnswer({...request, messages}, {model, onBatch}, either);
    if (signal.aborted) return none('The summary was stopped.', answer.usage);
    if (answer.end === 'interrupted') return none(`The model took longer than ${timeoutMs / 1000} s.`, answer.usage);
    const why = summaryProblem(answer);
    if (why !== '') return none(why, answer.usage, refusedLengthOf(answer));
    return {kind: 'written', text: summaryText(answer), usage: answer.usage, model: request.model};
  } catch (cause) {
    return none(faultText(thrownFault('The summary failed', cause)), noUsage);
  } finally {
    clearTimeout(timer);
  }
}

function summaryProblem(answer: ModelAnswer): string {
  if (answer.end === 'failed') return failureText(answer.fault);
  if (answer.stop === 'refusal') return 'The model declined to write a summary.';
  if (answer.stop === 'context-full') return "The model's context is too full for a summary.";
  return summaryText(answer) === '' ? 'The model wrote no summary.' : '';
}

/** Leaves out the advice in a provider's fault, because for a long conversation it is to compact. */
const failureText = (fault: Fault): string =>
  fault.kind === 'provider' && fault.status > 0 ? fault.message : faultText(fault);

function summaryText({message, stop}: ModelAnswer): string {
  const text = message === undefined ? '' : messageText(message).trim();
  return clip(text === '' || stop !== 'max-tokens' ? text : `${text}\n[The summary was cut off here.]`, maxSummary);
}

const summaryPrompt = (instructions: string): string =>
  `This conversation is about to be compacted. What you write now replaces everything above, except for the messages \
of the user, pinned messages, the todo list, the standing instructions and the list of changed files, which stay word for word. Do not call tools.

Summarize what is needed to continue without looking back, in at most 1,200 words:
1. What the user wants, and what was decided and why; corrections and preferences of the user.
2. What was done: relevant files and locations as path:line, commands and their results.
3. What was found out, and what was tried and failed.
4. The current state of the work, what is open, and the very next step.
Write facts, names, paths, commands and error messages exactly. Leave out finished matters. Write only the summary.${
    instructions === '' ? '' : `\n\nInstructions of the user for the summary:\n${instructions}`
  }`;
