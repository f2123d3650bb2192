import type {BlockDelta, BlockStart, ModelEvent, ModelPort, ModelRequest, Thinking} from '../domain/model-stream.ts';
import type {AgentEvent, PromptEnd} from '../actions/agent-event.ts';
import {agentTools} from '../actions/catalogue.ts';
import {isCallQuery} from '../actions/search-tools.ts';
import {isCutJson, maxJsonDepth, isDeeperThan, isJsonObject} from '../base/json.ts';
import {raceAbort} from '../base/race.ts';
import {unreachable} from '../base/unreachable.ts';
import {
  type AssistantBlock,
  type AssistantMessage,
  type BlockAddress,
  cutInput,
  omittedInput,
  omittedInputReason,
  type StopReason,
} from '../domain/conversation.ts';
import {type Fault, isDeclined, otherRefusal, type RefusedLength, unknownLength} from '../domain/fault.ts';
import {latestPrompt, sendableBlocks, withoutMedia} from '../domain/history.ts';
import {reminderBlock} from '../domain/reminder.ts';
import {replaceMessages} from './conversation.ts';
import {actionId, type ActionId, messageId, type MessageId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {noUsage, type Usage} from '../domain/usage.ts';
import type {CallTranslator} from './peer-calls.ts';
import type {ClockPort} from './ports.ts';
import {journal, keepPrefix, nextRequest, type PromptContext, type SessionContext} from './session-context.ts';

/** Takes the events of a batch and, with the last of them, the whole answer. */
type BatchListener = (
  events: readonly AgentEvent[],
  whole: AssistantMessage | undefined,
) => Promise<unknown> | undefined;

/** How a request to the model ended. `message` holds what arrived, or is `undefined` if nothing is worth keeping. */
export type ModelAnswer = AnswerContent &
  ({readonly end: 'complete'} | {readonly end: 'interrupted'} | {readonly end: 'failed'; readonly fault: Fault});

/** Returns what is known of the request's length if it was too long for the model; `undefined` otherwise. */
export function refusedLengthOf(answer: ModelAnswer): RefusedLength | undefined {
  if (answer.end === 'failed')
    return answer.fault.kind === 'provider' && answer.fault.refusal.kind === 'too-long'
      ? answer.fault.refusal
      : undefined;
  return answer.end === 'complete' && answer.stop === 'context-full' ? unknownLength : undefined;
}

interface AnswerContent {
  readonly message: AssistantMessage | undefined;
  readonly stop: StopReason;
  readonly usage: Usage;
  /** Why the provider stopped the answer. Empty if it doesn't say. */
  readonly explanation: string;
  /** A tool call that the model wrote as text and that weft cannot run. Empty if there is none. */
  readonly unread: string;
}

/**
 * Asks the model for the next answer of a prompt and publishes every batch of its stream as it comes. Reads the model no faster than the
 * listeners follow. A complete answer is in the journal when this returns.
 */
export async function streamAnswer(
  {session}: PromptContext,
  thinking: Thinking,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const {ports, publish, listenersReady} = session;
  const writer = new PartialAnswerWriter({clock: ports.clock, journal: record => journal(session, record)});
  const request = {...nextRequest(session), thinking};
  const onBatch: BatchListener = (events, whole) => {
    // The request is on its way, so this delays nothing.
    keepPrefix(request, session);
    // A block is journaled before it is shown. A complete answer has its own record.
    if (whole === undefined) writer.take(events);
    else journal(session, {kind: 'answer', message: whole});
    for (const event of events) {
      if (event.event === 'fell-back') session.promptModel = event.fallback;
      if (event.event === 'repaired') leaveOut(session, event.leftOut);
    }
    if (events.length > 0) publish(events);
    if (events.some(event => isCallStart(event, agentTools))) session.agents.preload();
    const ready = listenersReady();
    return ready === undefined ? undefined : raceAbort(ready, signal);
  };
  const takenIds = (): ReadonlySet<ActionId> => callIds(session);
  return readAnswer(request, {model: ports.model, onBatch, isOwn: session.tools.isOwn, takenIds}, signal);
}

/** Returns the ids of the session's calls, also of those before a compaction or a rewind. */
const callIds = ({conversation: {journal: kept, messages}}: SessionContext): ReadonlySet<ActionId> =>
  new Set([
    ...kept.records.flatMap(record => (record.kind === 'result' ? [record.result.id] : [])),
    ...messages.flatMap(({blocks}) => blocks.flatMap(block => (block.kind === 'tool-call' ? [block.id] : []))),
  ]);

/** Replaces blocks that the provider can't read, so that no later request has them. */
function leaveOut(session: SessionContext, blocks: readonly BlockAddress[]): void {
  if (blocks.length === 0) return;
  journal(session, {kind: 'media-left-out', blocks});
  const {messages} = session.conversation;
  messages.splice(0, messages.length, ...withoutMedia(messages, blocks));
}

/**
 * Leaves a prompt that the provider declined out of the conversation, with the work on it. Every later request with it would be declined,
 * too. Returns the end with these words for the user.
 */
export function withoutDeclined(end: PromptEnd, work: 'none' | 'some', session: SessionContext): PromptEnd {
  if (end.kind !== 'failed' || end.fault.kind !== 'provider' || !isDeclined(end.fault)) return end;
  const prompt = latestPrompt(session.conversation.journal.records);
  if (prompt === undefined) return end;
  journal(session, {kind: 'declined', prompt});
  if (work === 'some') {
    const message = {role: 'user', id: session.ports.ids.message(), blocks: [reminderBlock(declinedText)]} as const;
    journal(session, {kind: 'reminder', message});
  }
  replaceMessages(session);
  const left = `weft left the prompt out of the conversation${work === 'some' ? ', with the work on it' : ''}.`;
  return {kind: 'failed', fault: {...end.fault, fix: `${left} ${end.fault.fix}`}};
}

const declinedText =
  'The last prompt of the user was left out, because the provider declined to answer it. The work on it may have changed files.';

/**
 * True if the model begins such a call. The time until the call is complete is used to read files that it may change, or to load the module
 * that runs sub-agents.
 */
const isCallStart = (event: AgentEvent, tools: ReadonlySet<string>): boolean =>
  event.event === 'block-started' && event.block.kind === 'tool-call' && tools.has(event.block.name);

/**
 * Sends one request and reads its stream. `onBatch` gets the events of every batch, and reading continues when its
 * promise settles. If the message is cut off, keeps finished blocks and unfinished text, but not unfinished thinking
 * and tool calls, which providers would not accept back.
 */
export async function readAnswer(
  request: ModelRequest,
  {
    model,
    onBatch,
    isOwn = () => true,
    takenIds = () => new Set(),
  }: {
    readonly model: ModelPort;
    readonly onBatch: BatchListener;
    /** True if weft or an MCP server has a tool with this name. Other names may belong to another program's tools. */
    readonly isOwn?: (name: string) => boolean;
    /** Returns the ids of earlier calls. Some servers number the calls of every answer from 0. Asked at the first call. */
    readonly takenIds?: () => ReadonlySet<ActionId>;
  },
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const reader = new AnswerReader(request, takenIds);
  let translator: CallTranslator | undefined;
  let isStopped = false;
  for await (const received of model.stream(request, signal)) {
    // After a stop, only the bill is of interest.
    const batch = isStopped ? received.filter(({event}) => event === 'billed') : received;
    if (translator === undefined && batch.some(event => mayNeedTranslation(event, isOwn)))
      translator = new (await import('./peer-calls.ts')).CallTranslator(isOwn);
    const events = batch.flatMap(event => translator?.take(event) ?? [event]).flatMap(event => reader.take(event));
    const complete = reader.finished ? reader.complete() : undefined;
    const waiting = onBatch(events, complete?.message);
    if (waiting !== undefined) await waiting;
    if (reader.fault !== undefined) return {...reader.partial(), end: 'failed', fault: reader.fault};
    if (complete !== undefined) return {...complete, end: 'complete'};
    isStopped = signal.aborted;
  }
  if (signal.aborted) return {...reader.partial(), end: 'interrupted'};
  const fault: Fault = {
    kind: 'provider',
    message: 'The model stopped in the middle of its answer.',
    fix: 'Try again.',
    status: 0,
    refusal: otherRefusal,
  };
  return {...reader.partial(), end: 'failed', fault};
}

/** True for the beginning of a call that weft knows by another name, for a command that is a patch, and for a search that is a call. */
function mayNeedTranslation(event: ModelEvent, isOwn: (name: string) => boolean): boolean {
  if (event.event === 'block-started') return event.block.kind === 'tool-call' && !isOwn(event.block.name);
  if (event.event !== 'block-finished' || event.block.kind !== 'tool-call' || !isJsonObject(event.block.input))
    return false;
  const {command, query} = event.block.input;
  if (event.block.name === 'ToolSearch') return isCallQuery(query);
  return typeof command === 'string' && /\bapply_?patch\b/u.test(command);
}

/** Turns the events of one model stream into events for front ends, and collects the message. */
class AnswerReader {
  #id: MessageId = messageId('');
  #model: string;
  #usage: Usage = noUsage;
  #stop: StopReason = 'interrupted';
  readonly #blocks: (AssistantBlock | undefined)[] = [];
  /** Ids of the tool calls, by index. */
  readonly #ids = new Map<number, ActionId>();
  /** The ids of the session's calls, from the first call of the answer on. */
  #usedIds: Set<ActionId> | undefined;
  /** Text of unfinished blocks, by index. */
  readonly #unfinished = new Map<number, string>();
  fault: Fault | undefined;
  finished = false;
  #explanation = '';
  #unread = '';
  readonly #messages: ModelRequest['messages'];
  readonly #takenIds: () => ReadonlySet<ActionId>;

  constructor({model, messages}: ModelRequest, takenIds: () => ReadonlySet<ActionId>) {
    this.#model = model;
    this.#messages = messages;
    this.#takenIds = takenIds;
  }

  take(event: ModelEvent): AgentEvent | readonly AgentEvent[] {
    switch (event.event) {
      case 'message-started':
        this.#id = this.#unusedId(event.id);
        this.#model = event.model;
        this.#usage = event.usage;
        return {event: 'message-started', message: this.#id, model: event.model, usage: event.usage};
      case 'block-started':
        if (event.block.kind === 'text') this.#unfinished.set(event.index, '');
        return {
          event: 'block-started',
          message: this.#id,
          index: event.index,
          block: bounded(this.#withUniqueId(event.index, event.block)),
        };
      case 'block-delta':
        if (event.delta.kind === 'text') {
          this.#unfinished.set(event.index, (this.#unfinished.get(event.index) ?? '') + event.delta.text);
        }
        return {event: 'block-delta', message: this.#id, index: event.index, delta: bounded(event.delta)};
      case 'block-finished':
        this.#unfinished.delete(event.index);
        return this.#finish(event.index, this.#boundDepth(this.#withUniqueId(event.index, event.block)));
      case 'message-finished':
        this.#stop = event.stop;
        this.#explanation = event.explanation ?? '';
        this.#unread = event.unread ?? '';
        this.#usage = event.usage;
        this.#markCutCall();
        this.finished = true;
        return [];
      case 'retrying':
      case 'repaired':
        return event;
      case 'fell-back':
        this.#model = event.fallback;
        this.#usage = noUsage;
        return event;
      case 'billed':
        this.#usage = event.usage;
        return [];
      case 'failed':
        this.fault = event.fault;
        return [];
      default:
        return unreachable(event);
    }
  }

  /** Returns the id, unless an earlier message has it: some servers give all messages the same one. */
  #unusedId(wanted: MessageId): MessageId {
    const used = new Set(this.#messages.map(({id}) => id));
    let id = wanted;
    for (let copy = 2; used.has(id); copy += 1) id = messageId(`${wanted}_${copy}`);
    return id;
  }

  complete(): AnswerContent {
    return this.#content(this.#stop);
  }

  /** Returns what has arrived of an answer that was cut off. */
  partial(): AnswerContent {
    for (const [index, text] of this.#unfinished) this.#blocks[index] = {kind: 'text', text};
    return this.#content('interrupted');
  }

  #content(stop: StopReason): AnswerContent {
    const blocks = sendableBlocks(this.#blocks.filter(block => block !== undefined));
    const message: AssistantMessage | undefined =
      blocks === undefined
        ? undefined
        : {role: 'assistant', id: this.#id, model: this.#model, blocks, stop, usage: this.#usage};
    return {message, stop, usage: this.#usage, explanation: this.#explanation, unread: this.#unread};
  }

  /** Replaces the input of the last call if the answer ended in the middle of it. An input that is missing entirely was cut, too. */
  #markCutCall(): void {
    const at = this.#blocks.findLastIndex(block => block?.kind === 'tool-call');
    const call = this.#blocks[at];
    if (call?.kind !== 'tool-call' || omittedInputReason(call.input) !== undefined) return;
    const {input} = call;
    const isCut =
      typeof input === 'string'
        ? this.#stop === 'max-tokens' || isCutJson(input)
        : this.#stop === 'max-tokens' && isJsonObject(input) && Object.keys(input).length === 0;
    if (!isCut) return;
    const cut = cutInput(typeof input === 'string' ? input.length : 0);
    this.#blocks[at] = {
      ...call,
      input: cut,
      ...(call.written === undefined ? {} : {written: {name: call.written.name, input: cut}}),
    };
  }

  #finish(index: number, block: AssistantBlock): AgentEvent {
    this.#blocks[index] = block;
    return {event: 'block-finished', message: this.#id, index, block};
  }

  /** Drops an input that is nested so deeply that writing the conversation as JSON would overflow the stack. */
  #boundDepth(block: AssistantBlock): AssistantBlock {
    if (block.kind === 'thinking' && 'source' in block && isDeeperThan([...block.source.details], maxJsonDepth))
      return {kind: 'thinking', text: block.text, signature: block.signature};
    if (block.kind === 'other') return isDeeperThan(block.data, maxJsonDepth) ? {kind: 'text', text: ''} : block;
    if (block.kind === 'text' && 'cited' in block && isDeeperThan([...block.cited.citations], maxJsonDepth))
      return {kind: 'text', text: block.text};
    if (block.kind !== 'tool-call' || !isDeeperThan(block.input, maxJsonDepth)) return block;
    return {...block, input: omittedInput(`it is nested deeper than ${maxJsonDepth} levels`)};
  }

  #withUniqueId<B extends AssistantBlock | BlockStart>(index: number, block: B): B {
    return block.kind === 'tool-call' ? {...block, id: this.#idOf(index, block.id)} : block;
  }

  /** Returns a unique id. Providers choose ids, and results are matched by id, so a second call with the same id gets a new one. */
  #idOf(index: number, wanted: ActionId): ActionId {
    const known = this.#ids.get(index);
    if (known !== undefined) return known;
    const used = (this.#usedIds ??= new Set(this.#takenIds()));
    let id = wanted;
    for (let copy = 2; used.has(id); copy += 1) id = actionId(`${wanted}_${copy}`);
    this.#ids.set(index, id);
    used.add(id);
    return id;
  }
}

/** Bounds the depth of blocks of unknown kinds. */
const bounded = <B extends BlockStart | BlockDelta>(block: B): B =>
  block.kind === 'other' && isDeeperThan(block.data, maxJsonDepth) ? {...block, data: {}} : block;

/** The shortest time between two writes, in milliseconds. The first text is written at once. */
const writeIntervalMs = 250;

/**
 * Writes the text of an answer to the journal while it arrives. Killing weft loses no finished block, and only the end of an unfinished
 * one.
 */
export class PartialAnswerWriter {
  readonly #clock: ClockPort;
  readonly #journal: (record: JournalRecord) => void;
  #model = '';
  #message: MessageId | undefined;
  /** Text that is not written yet, by block. */
  readonly #texts = new Map<number, string>();
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor({clock, journal: write}: {readonly clock: ClockPort; readonly journal: (record: JournalRecord) => void}) {
    this.#clock = clock;
    this.#journal = write;
  }

  take(events: readonly AgentEvent[]): void {
    for (const event of events) {
      if (event.event === 'message-started') {
        this.#message = event.message;
        this.#model = event.model;
      }
      if (event.event === 'block-delta' && event.delta.kind === 'text') {
        this.#texts.set(event.index, (this.#texts.get(event.index) ?? '') + event.delta.text);
      }
    }
    // Programs get finished text as a message, which must not be lost.
    const isDue =
      events.some(({event}) => event === 'block-finished') || this.#clock.now() - this.#writtenAt >= writeIntervalMs;
    if (this.#texts.size > 0 && isDue) this.#flush();
  }

  #flush(): void {
    if (this.#message === undefined) return;
    for (const [index, text] of this.#texts) {
      this.#journal({kind: 'piece', message: this.#message, model: this.#model, index, text});
    }
    this.#texts.clear();
    this.#writtenAt = this.#clock.now();
  }
}
