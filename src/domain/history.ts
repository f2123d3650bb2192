import {clip} from '../base/clip.ts';
import {estimateBlockTokens, estimateMessageTokens, estimateMessagesTokens, isCompactionMessage} from './compaction.ts';
import {
  type AssistantBlock,
  type AssistantMessage,
  type BlockAddress,
  type DocumentBlock,
  type ImageBlock,
  type Message,
  type ResultContent,
  type TextBlock,
  toolCalls,
  type ToolResultBlock,
  type UserBlock,
  type UserMessage,
} from './conversation.ts';
import {type ActionId, messageId, type MessageId} from './ids.ts';
import type {JournalRecord} from './journal.ts';
import {instructionsFileIn} from './reminder.ts';
import {parseSkillBlock} from './slash-command.ts';
import {conversationRecords, timelineOf} from './timeline.ts';
import {noUsage} from './usage.ts';

/** The conversation and the todo list that a session's journal contains. */
interface History {
  /**
   * The messages, valid for a provider even if weft was killed at any moment. The first message is the user's. Every message
   * with calls is followed by a user message with exactly their results, in the order of the calls.
   */
  readonly messages: readonly Message[];
  /** All task-protocol payloads, in the order in which they apply. */
  readonly todoFrames: readonly Uint8Array[];
  /** The calls whose result was never recorded. `messages` has a cancelled result for each. */
  readonly callsWithoutResult: readonly ActionId[];
}

/** Returns the goal of a session as the user wrote it. Empty if there is none, or if it was met or dropped. */
export function goalIn(records: readonly JournalRecord[]): string {
  const last = records.findLast(record => record.kind === 'goal');
  return last?.state === 'set' ? last.text : '';
}

/** Returns the id of the latest prompt; `undefined` if there is none. */
export const latestPrompt = (records: readonly JournalRecord[]): MessageId | undefined =>
  conversationRecords(records).findLast(record => record.kind === 'prompt')?.message.id;

/** Returns the name that the user gave a session. Empty if there is none. */
export const givenTitle = (records: readonly JournalRecord[]): string =>
  records.findLast(record => record.kind === 'title')?.title ?? '';

/** The result that the model reads for a call whose result was never recorded. */
export const lostResultText =
  'weft ended before it saved the result, so it is unknown what the call did. Look before you repeat it.';

/**
 * Builds a valid history from a journal, or from any beginning of one. A result counts only before the next answer,
 * because from that answer on the model has read that the result was lost. If a call has several results, the first
 * counts. The history contains nothing that a provider would refuse (answers before the first prompt, messages and
 * texts without content, results without a call) and nothing that was rewound. A compaction replaces everything before
 * it.
 */
export function historyFromJournal(records: readonly JournalRecord[]): History {
  const messages: Message[] = [];
  const todoFrames: Uint8Array[] = [];
  const callsWithoutResult: ActionId[] = [];
  let open: OpenAnswer | undefined;
  let waiting: UserMessage[] = [];

  const closeAnswer = (): void => {
    if (open !== undefined) {
      const {answer, results} = open;
      messages.push(answer);
      const calls = toolCalls(answer);
      if (calls.length > 0) messages.push(resultsMessage(answer, results));
      for (const call of calls) if (!results.has(call.id)) callsWithoutResult.push(call.id);
    }
    messages.push(...waiting);
    open = undefined;
    waiting = [];
  };

  const active = joinPartialAnswers(conversationRecords(records));
  const compacted = active.findLastIndex(({kind}) => kind === 'compaction');
  for (const [at, record] of active.entries()) {
    // Only the todo list outlives a compaction. Other earlier records may have to be read from the disk.
    if (at < compacted && record.kind !== 'todo-frames') continue;
    switch (record.kind) {
      case 'prompt':
      case 'reminder': {
        const blocks = record.message.blocks.filter(isPromptContent);
        if (blocks.length > 0) waiting.push({...record.message, blocks});
        break;
      }
      case 'answer': {
        closeAnswer();
        const blocks = sendableBlocks(record.message.blocks);
        if (blocks !== undefined && messages.length > 0) {
          open = {answer: {...record.message, blocks}, results: new Map()};
        }
        break;
      }
      case 'result':
        if (open !== undefined && !open.results.has(record.result.id))
          // The copy has the content, which the record may read from the disk.
          open.results.set(record.result.id, {...record.result});
        break;
      case 'compaction':
        closeAnswer();
        messages.splice(0, messages.length, ...record.messages.map(withoutBoundThinking));
        callsWithoutResult.length = 0;
        break;
      case 'results-shortened': {
        closeAnswer();
        const shorter = withShortResults(messages, new Set(record.results));
        messages.splice(0, messages.length, ...shorter);
        break;
      }
      case 'media-left-out':
        closeAnswer();
        messages.splice(0, messages.length, ...withoutMedia(messages, record.blocks));
        break;
      case 'todo-frames':
        for (const frame of record.frames) todoFrames.push(frame);
        break;
      case 'declined':
      case 'request-prefix':
      case 'approval':
      case 'document':
      case 'pin':
      case 'title':
      case 'goal':
      case 'review':
      case 'agent':
      case 'agent-usage':
      case 'usage':
      case 'receipt':
      case 'checkpoint':
      case 'step':
      case 'rewind':
      case 'redo':
        break;
    }
  }
  closeAnswer();
  return {messages, todoFrames, callsWithoutResult};
}

/**
 * Returns the whole conversation for people: also what a compaction replaced, and results that were shortened for the
 * model. The summary of a compaction stands where it was made.
 */
export function wholeConversation(records: readonly JournalRecord[]): readonly Message[] {
  const said = timelineOf(records).activeRecords.flatMap((record): readonly JournalRecord[] => {
    if (leavesOut.has(record.kind)) return [];
    if (record.kind !== 'compaction') return [record];
    return record.messages.flatMap(message =>
      message.role === 'user' && isCompactionMessage(message) ? [{kind: 'reminder', message}] : [],
    );
  });
  return historyFromJournal(said).messages;
}

/** Kinds of records that leave something out for the model only. */
const leavesOut: ReadonlySet<JournalRecord['kind']> = new Set(['results-shortened', 'media-left-out', 'declined']);

interface OpenAnswer {
  readonly answer: AssistantMessage;
  readonly results: Map<ActionId, ToolResultBlock>;
}

/** Returns the id of the message with the results of an answer's calls. A resumed session has the same id. */
export const resultsId = ({id}: AssistantMessage): MessageId => messageId(`${id}:results`);

function resultsMessage(answer: AssistantMessage, results: ReadonlyMap<ActionId, ToolResultBlock>): UserMessage {
  return {
    role: 'user',
    id: resultsId(answer),
    blocks: toolCalls(answer).map(call => results.get(call.id) ?? lostResult(call.id)),
  };
}

/** Returns a result for a call whose result was never recorded, because providers refuse calls without results. */
export const lostResult = (id: ActionId): ToolResultBlock => ({
  kind: 'tool-result',
  id,
  content: [{kind: 'text', text: lostResultText}],
  outcome: 'cancelled',
  reason: 'unknown',
});

/** Providers refuse text blocks of white space only. */
export const isPromptContent = (block: UserBlock): boolean =>
  block.kind === 'text' ? block.text.trim() !== '' : block.kind !== 'tool-result';

/** Returns the blocks of an answer that a provider accepts; `undefined` if these blocks do not make a message. */
export function sendableBlocks(blocks: readonly AssistantBlock[]): readonly AssistantBlock[] | undefined {
  const seen = new Set<ActionId>();
  const kept = blocks.filter(block => {
    if (block.kind === 'text') return block.text.trim() !== '';
    if (block.kind !== 'tool-call') return true;
    const isNew = !seen.has(block.id);
    seen.add(block.id);
    return isNew;
  });
  return kept.some(({kind}) => kind === 'text' || kind === 'tool-call' || kind === 'other') ? kept : undefined;
}

/** Changes messages. Removes thinking after the first change if its provider would refuse it there. */
function changedMessages(messages: readonly Message[], change: (message: Message) => Message): readonly Message[] {
  const changed = messages.map(change);
  const first = changed.findIndex((message, at) => message !== messages[at]);
  return first < 0 ? messages : changed.map((message, at) => (at > first ? withoutBoundThinking(message) : message));
}

/**
 * Since Claude 5.1, thinking is bound to everything before it. The provider refuses a request with such thinking after
 * a change. (platform.claude.com/docs/en/build-with-claude/preserved-thinking)
 */
export function withoutBoundThinking(message: Message): Message {
  if (message.role === 'user' || !bindsThinking.test(message.model)) return message;
  return withoutThinking(message);
}

export const withoutThinking = (message: AssistantMessage): AssistantMessage => ({
  ...message,
  blocks: message.blocks.filter(({kind}) => kind !== 'thinking' && kind !== 'sealed-thinking'),
});

const bindsThinking = /claude-[a-z]+-(?:5[-.][1-9]|[6-9])(?!\d)/u;

/** Returns the messages with text instead of the images and documents in these blocks. */
export function withoutMedia(messages: readonly Message[], addresses: readonly BlockAddress[]): readonly Message[] {
  return changedMessages(messages, message => {
    const named = new Set(addresses.flatMap(({message: id, block}) => (id === message.id ? [block] : [])));
    if (named.size === 0 || message.role === 'assistant') return message;
    return {...message, blocks: message.blocks.map((block, at) => (named.has(at) ? inWords(block) : block))};
  });
}

function inWords(block: UserBlock): UserBlock {
  if (block.kind === 'text') return block;
  if (block.kind !== 'tool-result') return mediaInWords(block);
  const content = block.content.map(part =>
    part.kind === 'image' || part.kind === 'document' ? mediaInWords(part) : part,
  );
  return {...block, content};
}

const mediaInWords = (media: ImageBlock | DocumentBlock): TextBlock => ({
  kind: 'text',
  text: `[${media.kind === 'image' ? 'image' : `document ${media.name}`} left out: the provider could not read it]`,
});

/** A record of a journal in which the `piece` records have been joined into answers. */
type JoinedRecord = Exclude<JournalRecord, {kind: 'piece'}>;
type PieceRecord = Extract<JournalRecord, {kind: 'piece'}>;

/**
 * Replaces the `piece` records of every unfinished answer (weft was killed while it arrived) by an interrupted answer, at the
 * position of the last piece. The pieces of finished answers are dropped.
 */
export function joinPartialAnswers(records: readonly JournalRecord[]): readonly JoinedRecord[] {
  const finished = new Set(records.flatMap(record => (record.kind === 'answer' ? [record.message.id] : [])));
  const unfinished = new Map<MessageId, PieceRecord[]>();
  for (const record of records) {
    if (record.kind !== 'piece' || finished.has(record.message)) continue;
    const pieces = unfinished.get(record.message);
    if (pieces === undefined) unfinished.set(record.message, [record]);
    else pieces.push(record);
  }
  return records.flatMap((record): readonly JoinedRecord[] => {
    if (record.kind !== 'piece') return [record];
    const pieces = unfinished.get(record.message);
    return pieces?.at(-1) === record ? [interruptedAnswer(record, pieces)] : [];
  });
}

/** The kinds of records that no view of a conversation shows. */
const hiddenKinds = [
  'reminder',
  'pin',
  'title',
  'goal',
  'results-shortened',
  'media-left-out',
  'declined',
  'request-prefix',
  'review',
  'checkpoint',
  'step',
  'usage',
  'receipt',
  'agent',
  'agent-usage',
] as const;

export type ShownRecord = Exclude<JoinedRecord, {readonly kind: (typeof hiddenKinds)[number]}>;

/** Returns the records that views of a conversation show, with partial answers joined. */
export const shownRecords = (records: readonly JournalRecord[]): readonly ShownRecord[] =>
  joinPartialAnswers(records).filter(
    (record): record is ShownRecord => !hiddenKinds.some(kind => kind === record.kind),
  );

function interruptedAnswer({message: id, model}: PieceRecord, pieces: readonly PieceRecord[]): JoinedRecord {
  const texts = new Map<number, string>();
  for (const {index, text} of pieces) texts.set(index, (texts.get(index) ?? '') + text);
  const blocks = [...texts].toSorted(([a], [b]) => a - b).map(([, text]) => ({kind: 'text', text}) as const);
  return {kind: 'answer', message: {role: 'assistant', id, model, blocks, stop: 'interrupted', usage: noUsage}};
}

/** A history that weft shortened without a model. */
export interface TrimmedHistory {
  readonly messages: readonly Message[];
  readonly shortenedResults: number;
  /** The number of dropped exchanges. An exchange is a message from the user and all messages before the user's next one. */
  readonly droppedExchanges: number;
}

/**
 * Shortens a valid history until it has at most `most` tokens by estimate. It first shortens results, then drops exchanges,
 * each time the oldest first. Then it shortens the last exchange: its results, and its rounds (an answer with its results). The result is
 * a valid history or empty. The message `kept` is never dropped, however long it is.
 */
export function trimHistory(messages: readonly Message[], most: number, kept?: MessageId): TrimmedHistory {
  const exchanges = exchangesOf(messages);
  let tokens = estimateMessagesTokens(messages);
  let shortenedResults = 0;
  let droppedExchanges = 0;
  const shortenResults = (first: number, end: number): void => {
    for (let at = first; at < end; at += 1) {
      exchanges[at] = (exchanges[at] ?? []).map(message => {
        if (tokens <= most || message.role !== 'user') return message;
        const blocks = message.blocks.map(block => {
          if (block.kind !== 'tool-result') return block;
          const short = shortResult(block);
          if (short !== block) shortenedResults += 1;
          return short;
        });
        const shorter = {...message, blocks};
        tokens += estimateMessageTokens(shorter) - estimateMessageTokens(message);
        return shorter;
      });
    }
  };
  const dropExchanges = (end: number): void => {
    while (tokens > most && droppedExchanges < end) {
      const exchange = exchanges[droppedExchanges] ?? [];
      const staying = exchange.filter(({id}) => id === kept);
      tokens += estimateMessagesTokens(staying) - estimateMessagesTokens(exchange);
      exchanges[droppedExchanges] = staying;
      droppedExchanges += 1;
    }
  };
  const last = Math.max(0, exchanges.length - 1);
  shortenResults(0, last);
  dropExchanges(last);
  shortenResults(last, exchanges.length);
  const [prompt, ...rounds] = roundsOf(exchanges[last] ?? []);
  while (tokens > most && rounds.length > 0) tokens -= estimateMessagesTokens(rounds.shift() ?? []);
  exchanges.splice(last, 1, [prompt ?? [], ...rounds].flat());
  dropExchanges(exchanges.length);
  return {messages: exchanges.flat(), shortenedResults, droppedExchanges};
}

/** Splits an exchange into the message that it begins with, and its rounds. */
function roundsOf(exchange: readonly Message[]): Message[][] {
  const rounds: Message[][] = [];
  for (const message of exchange) {
    const current = rounds.at(-1);
    if (message.role === 'assistant' || current === undefined) rounds.push([message]);
    else current.push(message);
  }
  return rounds;
}

/** Splits a history into exchanges. Each begins with a message from the user that has no results, so a valid history may begin there. */
function exchangesOf(messages: readonly Message[]): Message[][] {
  const exchanges: Message[][] = [];
  for (const message of messages) {
    const begins = message.role === 'user' && !message.blocks.some(({kind}) => kind === 'tool-result');
    const current = exchanges.at(-1);
    if (begins || current === undefined) exchanges.push([message]);
    else current.push(message);
  }
  return exchanges;
}

/** Returns the history with these results cut to their beginnings. Everything else stays, including the prefix that a provider caches. */
export const withShortResults = (messages: readonly Message[], short: ReadonlySet<ActionId>): readonly Message[] =>
  changedMessages(messages, message => {
    if (message.role !== 'user' || !message.blocks.some(block => block.kind === 'tool-result' && short.has(block.id)))
      return message;
    const blocks = message.blocks.map(block =>
      block.kind === 'tool-result' && short.has(block.id) ? shortResult(block) : block,
    );
    return {...message, blocks};
  });

/**
 * Returns the results that can be cut. They come before the last `latest` messages, and a cut saves at least `least`
 * tokens by estimate. Results with instructions, including those of skills, are never cut.
 */
export function longResults(
  messages: readonly Message[],
  {latest, least}: {readonly latest: number; readonly least: number},
): readonly {readonly id: ActionId; readonly saved: number}[] {
  return messages.slice(0, Math.max(0, messages.length - latest)).flatMap(({blocks}) =>
    blocks.flatMap(block => {
      if (block.kind !== 'tool-result') return [];
      if (block.content.some(part => part.kind === 'text' && parseSkillBlock(part.text) !== undefined)) return [];
      const saved = estimateBlockTokens(block) - estimateBlockTokens(shortResult(block));
      return saved >= least ? [{id: block.id, saved}] : [];
    }),
  );
}

/** The length to which a long text in a result is shortened, in UTF-16 units. */
const resultLength = 300;

function shortResult(result: ToolResultBlock): ToolResultBlock {
  const isShort = result.content.every(block => block.kind === 'text' && block.text.length <= resultLength * 2);
  return isShort ? result : {...result, content: result.content.map(shortContent)};
}

function shortContent(block: ResultContent): ResultContent {
  if (block.kind !== 'text') return {kind: 'text', text: `[${block.kind} left out by weft]`};
  if (instructionsFileIn(block) !== undefined) return block;
  if (block.text.length <= resultLength * 2) return block;
  return {
    kind: 'text',
    text: `${clip(block.text, resultLength)}\n[Shortened by weft: it had ${block.text.length} characters. The call shows what it was. Repeat the call if the rest matters and the call changes nothing.]`,
  };
}
