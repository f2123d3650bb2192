import {byKind} from '../base/unreachable.ts';
import {type AssistantBlock, type Message, messageText, type UserBlock, type UserMessage} from './conversation.ts';
import {type RefusedLength, unknownLength} from './fault.ts';
import type {MessageId} from './ids.ts';
import type {ModelEvent, ModelRequest} from './model-stream.ts';
import {type ActiveSkill, skillBlock} from './slash-command.ts';
import {contextTokens as usedTokens, type Usage} from './usage.ts';

/**
 * How a conversation is compacted. `summary`: a summary written by a model replaces it. `trim`: without a model, the oldest results
 * are shortened and the oldest exchanges dropped.
 */
export type CompactionMethod = 'summary' | 'trim';

/** `manual`: the user asked for it. `auto`: the conversation had become too long for the model. */
export type CompactionTrigger = 'manual' | 'auto';

/**
 * weft's reaction to a conversation that is too long for the model. `ask`: shows the user a compaction, in the terminal
 * UI; elsewhere like `auto`. `auto`: shortens old results, asks the model for a summary if necessary, and repeats the
 * request. `trim`: the same without a summary. `off`: nothing.
 */
export const compactionModes = ['ask', 'auto', 'trim', 'off'] as const;
export type CompactionMode = (typeof compactionModes)[number];

/** Tokens of the whole next request, before and after a compaction. `after` is always an estimate. */
export interface CompactionTokens {
  readonly before: number;
  readonly after: number;
}

/** The effect of a compaction, for the user to confirm. So far weft has only requested the summary from the model. */
export interface CompactionPreview {
  readonly id: MessageId;
  readonly way: CompactionMethod;
  readonly summary: string;
  /** A sentence that says why there is no summary; empty if there is one. */
  readonly noSummaryReason: string;
  readonly kept: readonly CountedPart[];
  readonly summarised: readonly CountedPart[];
  readonly dropped: readonly CountedPart[];
  readonly tokens: CompactionTokens;
  /** Whether `tokens.before` was counted by the provider or estimated. */
  readonly before: 'counted' | 'estimated';
  readonly cost: SummaryCost;
}

/** A part of the conversation, described as in `12 user messages, word for word`, with its estimated tokens. */
export interface CountedPart {
  readonly what: string;
  readonly tokens: number;
}

/** The cost of the request for the summary; `none` if no request was sent. */
export type SummaryCost =
  | {readonly kind: 'none'}
  | {readonly kind: 'used'; readonly usage: Usage; readonly usd: number | 'unknown'};

export interface CompactionReport {
  readonly trigger: CompactionTrigger;
  readonly way: CompactionMethod;
  readonly tokens: CompactionTokens;
}

/** The parts of the compacted conversation that are kept word for word. */
export interface VerbatimParts {
  /** The user's messages and the pinned answers, in order. */
  readonly messages: readonly VerbatimMessage[];
  /** Instruction files as they are on disk now, unless the system prompt already contains the same text. */
  readonly instructions: readonly {readonly path: string; readonly text: string}[];
  /** One line per todo, as in the two lists below. */
  readonly todos: readonly string[];
  /** The skills whose instructions are in the conversation. */
  readonly skills: readonly ActiveSkill[];
  readonly running: readonly string[];
  readonly changedFiles: readonly string[];
}

/**
 * A message of the conversation. `number` counts the user's messages in the session from 1. An answer has the number of
 * the message that it answers.
 */
export interface VerbatimMessage {
  readonly id: MessageId;
  readonly by: 'user' | 'agent';
  readonly number: number;
  readonly text: string;
  readonly state: 'pinned' | 'unpinned';
}

/** Returns the message that replaces the compacted messages: the summary and the verbatim parts, each in a separate block. */
export function compactionMessage(
  {
    id,
    trigger,
    way,
    summary,
  }: {
    readonly id: MessageId;
    readonly trigger: CompactionTrigger;
    readonly way: CompactionMethod;
    readonly summary: string;
  },
  {messages, instructions, skills, todos, running, changedFiles}: VerbatimParts,
): UserMessage {
  const explanation = `${openingWords[way][trigger]} ${kept}${trigger === 'auto' ? ` ${goOn}` : ''}`;
  const sections = [
    section('Open todos, as they stand now:', todos),
    section('Commands that run beside the conversation, as of now:', running),
    section('Files that were changed in this session, with the SHA-256 of what is in them now:', changedFiles),
  ];
  const texts = [
    `${opening}${explanation}${summary === '' ? '' : `\n\n<summary>\n${summary}\n</summary>`}`,
    ...messages.map(verbatimText),
    ...instructions.map(({path, text}) => `<instructions file="${path}" read="again">\n${text}\n</instructions>`),
    ...skills.map(skill => skillBlock(skill).text),
    ...sections.flat(),
    closing,
  ];
  return {role: 'user', id, blocks: texts.map(text => ({kind: 'text', text}))};
}

function verbatimText({by, number, text, state}: VerbatimMessage): string {
  const pinned = state === 'pinned' ? pinnedMark : '';
  return by === 'user'
    ? `<user-message number="${number}"${pinned}>\n${text}\n</user-message>`
    : `<answer to-number="${number}"${pinned}>\n${text}\n</answer>`;
}

const pinnedMark = ' pinned="yes"';

/** Returns the text of a pinned message in a block that `compactionMessage` made; `undefined` for other blocks. */
export const pinnedWords = (block: string): string | undefined =>
  /^<(?:user-message|answer) (?:to-)?number="\d+" pinned="yes">\n([^]*)\n<\/[a-z-]+>$/u.exec(block)?.[1];

const opening = '<compacted-conversation>\n';
const closing = '</compacted-conversation>';
const kept =
  'These are word for word: the messages of the user below (earlier requests: answered unless the summary or the todos say otherwise), ' +
  'the messages that the user has pinned, and what weft knows of the present state. Read files again before you rely on their content.';
const goOn = 'The work on the last message of the user is not finished: go on with it.';
const bySummary = 'The summary covers what came before.';
const byTrimming = 'Old results are cut, old exchanges left out.';
const openingWords: Readonly<Record<CompactionMethod, Readonly<Record<CompactionTrigger, string>>>> = {
  summary: {
    manual: `weft has compacted this conversation, as the user wanted. ${bySummary}`,
    auto: `weft has compacted this conversation, since it had become too long for the model. ${bySummary}`,
  },
  trim: {
    manual: `weft has shortened this conversation, as the user wanted. ${byTrimming}`,
    auto: `weft has shortened this conversation, since it had become too long for the model. ${byTrimming}`,
  },
};

const section = (heading: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${heading}\n${lines.join('\n')}`];

/** True if `compactionMessage` made the message. Such a message is not a prompt, and no user's prompt has its form. */
export function isCompactionMessage({role, blocks}: Message): boolean {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (role !== 'user' || first?.kind !== 'text' || last?.kind !== 'text') return false;
  return first.text.startsWith(opening) && last.text === closing;
}

/** Estimates the tokens of a text roughly: one token for four bytes of English or code, more for other scripts. */
export function estimateTokens(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) bytes += 2;
  return Math.ceil(bytes / 4);
}

/** The tokens that most providers count for an image or a page of a document. */
const attachmentTokens = 1500;

export const estimateMessageTokens = ({blocks}: Message): number =>
  blocks.reduce((sum, block) => sum + estimateBlockTokens(block), 4);

export const estimateBlockTokens = (block: UserBlock | AssistantBlock): number =>
  byKind<UserBlock | AssistantBlock, number>(block, {
    text: ({text}) => estimateTokens(text),
    thinking: ({text}) => estimateTokens(text),
    'sealed-thinking': ({data}) => Math.ceil(data.length / 6),
    image: () => attachmentTokens,
    document: () => attachmentTokens,
    other: ({data}) => estimateTokens(JSON.stringify(data)),
    'tool-call': ({name, input}) => estimateTokens(name + JSON.stringify(input)),
    'tool-result': ({content}) =>
      content.reduce((sum, one) => sum + (one.kind === 'text' ? estimateTokens(one.text) : attachmentTokens), 0),
  });

export const estimateMessagesTokens = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);

/** Estimates the tokens of the system prompt and the tools. */
export const estimateFixedTokens = ({system, tools}: Pick<ModelRequest, 'system' | 'tools'>): number =>
  estimateTokens(system) + estimateTokens(JSON.stringify(tools));

/** An estimate of tokens is at most so many times too high or too low. */
export const maxEstimateError = 5;
const smallestWindow = 500;

/** Returns the length that a refusal names. Numbers that can't be true of such a request count as unknown. */
export function credibleLength(named: RefusedLength, request: ModelRequest): RefusedLength {
  const {tokens, window} = named;
  const estimated = estimateFixedTokens(request) + estimateMessagesTokens(request.messages);
  const isPossible = tokens === 0 || (tokens <= estimated * maxEstimateError && tokens * maxEstimateError >= estimated);
  // A provider also refuses a request that leaves no room for the answer.
  const isOver = (tokens * 1.25 || estimated * maxEstimateError) > window;
  return isPossible && isOver && (window === 0 || window >= smallestWindow) ? named : unknownLength;
}

/** Returns the context window that a refusal names, or in which an answer ended. 0 if it names none, or one that can't be true. */
export function revealedWindow(event: ModelEvent, request: ModelRequest): number {
  if (event.event === 'failed') {
    const {fault} = event;
    return fault.kind === 'provider' && fault.refusal.kind === 'too-long'
      ? credibleLength(fault.refusal, request).window
      : 0;
  }
  return event.event === 'message-finished' && hasNoRoom(event, request) ? usedTokens(event.usage) : 0;
}

/** An answer that ends at a limit after so few tokens had no room. weft always allows more. */
const fewTokens = 8;

/** True if an answer ended at once because the context was full. Some servers, such as Ollama, cut the request silently. */
function hasNoRoom(
  {stop, usage}: Pick<Extract<ModelEvent, {event: 'message-finished'}>, 'stop' | 'usage'>,
  request: ModelRequest,
): boolean {
  const tokens = usedTokens(usage);
  const isCut = stop === 'max-tokens' && request.maxTokens === 'default' && usage.outputTokens <= fewTokens;
  // Most answers are not cut, and an estimate reads the whole request.
  if (!isCut || tokens < smallestWindow) return false;
  return tokens <= (estimateFixedTokens(request) + estimateMessagesTokens(request.messages)) * 1.25;
}

/** The part of the context window that must be used before the user is shown how full it is. */
const fullFrom = 0.8;

/** Returns how full the context window is, in percent; `undefined` if it is not full enough to show, or its size is unknown. */
export function contextFullPercent(usage: {
  readonly contextTokens: number;
  readonly contextWindow: number;
}): number | undefined {
  const {contextTokens, contextWindow} = usage;
  if (contextWindow <= 0 || contextTokens < contextWindow * fullFrom) return undefined;
  return Math.round((contextTokens / contextWindow) * 100);
}

/** The notice after a compaction: what it did and how to undo it. */
export const compactedText = ({way, tokens}: CompactionReport): string =>
  `${way === 'summary' ? 'Compacted' : 'Shortened'}: ${tokenChangeText(tokens)}. /undo takes that back until the next prompt, ` +
  '/rewind to an earlier prompt after it.';

export function compactedHistoryText(message: UserMessage): string {
  const summary = /\n<summary>\n([^]*)\n<\/summary>$/u.exec(messageText(message))?.[1] ?? '';
  return `The conversation before this was compacted.${summary === '' ? '' : `\n${summary}`}`;
}

/** `84,210 → about 9,300 tokens`. The second number is always an estimate. */
export const tokenChangeText = ({before, after}: CompactionTokens): string =>
  `${groupDigits(before)} → about ${groupDigits(after)} tokens`;

export const compactionQuestion = ({way}: CompactionPreview): string =>
  way === 'summary' ? 'Compact the conversation?' : 'Shorten the conversation without a summary?';

export const compactionTokensText = ({tokens, before}: CompactionPreview): string =>
  `${before === 'estimated' ? 'about ' : ''}${tokenChangeText(tokens)}, by estimate`;

/** The warnings of a compaction's preview: that there is no summary, and that the conversation gets no shorter. */
export const compactionPreviewWarnings = ({noSummaryReason, tokens}: CompactionPreview): readonly string[] => [
  ...(noSummaryReason === '' ? [] : [`No summary: ${noSummaryReason}`]),
  ...(tokens.after < tokens.before ? [] : ['This makes nothing shorter.']),
];

export const countedPartTexts = (parts: readonly CountedPart[]): readonly string[] =>
  parts.length === 0
    ? ['nothing']
    : parts.map(({what, tokens}) => (tokens === 0 ? what : `${what} (~${groupDigits(tokens)})`));

export const compactionUndoHint = 'Undo: /undo until the next prompt, then /rewind to an earlier one.';

export function summaryCostText(cost: SummaryCost): string {
  if (cost.kind === 'none') return '';
  const {inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens} = cost.usage;
  const read = inputTokens + cacheReadTokens + cacheWriteTokens;
  const usd = cost.usd === 'unknown' ? 'an unknown price' : `$${cost.usd.toFixed(4)}`;
  return `The summary cost ${usd}: ${groupDigits(read)} tokens in (${groupDigits(cacheReadTokens)} cached), ${groupDigits(outputTokens)} out.`;
}

/** Rounds a number and groups its digits: `84,210`. */
export const groupDigits = (count: number): string => String(Math.round(count)).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');
