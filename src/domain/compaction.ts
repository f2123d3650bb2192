import {unreachable} from '../base/unreachable.ts';
import type {Message, UserMessage} from './conversation.ts';
import type {MessageId} from './ids.ts';
import type {Usage} from './usage.ts';

/**
 * `summary`: a model has summed up what was said, and that stands in its place. `trim`: nothing is summed up; the oldest results
 * are shortened and the oldest exchanges left out.
 */
export type CompactionWay = 'summary' | 'trim';

/** Tokens of the whole next request. After a compaction that is always an estimate. */
export interface CompactionTokens {
  readonly before: number;
  readonly after: number;
}

/** What a compaction would do, for a person to agree to. Nothing has happened yet but the request for the summary. */
export interface CompactionPreview {
  readonly id: MessageId;
  readonly way: CompactionWay;
  /** Empty where there is none. */
  readonly summary: string;
  /** Why there is no summary: a sentence; empty where there is one. */
  readonly why: string;
  readonly kept: readonly CountedPart[];
  readonly summarised: readonly CountedPart[];
  readonly dropped: readonly CountedPart[];
  readonly tokens: CompactionTokens;
  /** Whether the provider has counted `tokens.before`. */
  readonly before: 'counted' | 'estimated';
  readonly cost: SummaryCost;
}

/** `12 user messages, word for word`; `tokens` are an estimate. */
export interface CountedPart {
  readonly what: string;
  readonly tokens: number;
}

/** What the request for the summary used; `none` where none was sent. */
export type SummaryCost =
  | {readonly kind: 'none'}
  | {readonly kind: 'used'; readonly usage: Usage; readonly usd: number | 'unknown'};

/** What a compaction has done. */
export interface CompactionReport {
  readonly way: CompactionWay;
  readonly tokens: CompactionTokens;
}

/** What goes on into the compacted conversation word for word. */
export interface CarriedParts {
  readonly userMessages: readonly CarriedUserMessage[];
  /** Instruction files as they are on disk now, where the beginning of every request does not already say the same. */
  readonly instructions: readonly {readonly path: string; readonly text: string}[];
  /** A line each. */
  readonly todos: readonly string[];
  readonly running: readonly string[];
  readonly changedFiles: readonly string[];
}

/** `number` counts the user's messages of the session from 1. */
export interface CarriedUserMessage {
  readonly number: number;
  readonly text: string;
}

/** The message that stands for what was compacted: what was kept, each part a block of its own, word for word. */
export function compactedMessage(
  {id, way, summary}: {readonly id: MessageId; readonly way: CompactionWay; readonly summary: string},
  {userMessages, instructions, todos, running, changedFiles}: CarriedParts,
): UserMessage {
  const told = way === 'summary' ? bySummary : byTrimming;
  const sections = [
    section('Open todos, as they stand now:', todos),
    section('Commands that run beside the conversation, as of now:', running),
    section('Files that were changed in this session, with the SHA-256 of what is in them now:', changedFiles),
  ];
  const texts = [
    `${opening}${told}${summary === '' ? '' : `\n\n<summary>\n${summary}\n</summary>`}`,
    ...userMessages.map(({number, text}) => `<user-message number="${number}">\n${text}\n</user-message>`),
    ...instructions.map(({path, text}) => `<instructions file="${path}" read="again">\n${text}\n</instructions>`),
    ...sections.flat(),
    closing,
  ];
  return {role: 'user', id, blocks: texts.map(text => ({kind: 'text', text}))};
}

const opening = '<compacted-conversation>\n';
const closing = '</compacted-conversation>';
const kept =
  'Word for word are the messages of the user below (earlier requests: answered unless the summary or the todos say otherwise) ' +
  'and what weft knows of the present state. Read files again before you rely on their content.';
const bySummary = `weft has compacted this conversation, as the user wanted. What was said before stands in the summary. ${kept}`;
const byTrimming = `weft has shortened this conversation, as the user wanted: old results are cut, old exchanges left out. ${kept}`;

const section = (heading: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${heading}\n${lines.join('\n')}`];

/** Whether a message stands in the place of what was compacted; that is nobody's prompt, and no prompt can be taken for it. */
export function isCompacted({role, blocks}: Message): boolean {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (role !== 'user' || first?.kind !== 'text' || last?.kind !== 'text') return false;
  return first.text.startsWith(opening) && last.text === closing;
}

/** Tokens that a text comes to, roughly: a token for four bytes of English or code, more for other scripts. */
export function estimateTokens(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) bytes += 2;
  return Math.ceil(bytes / 4);
}

/** What an image or a page comes to with most providers. */
const attachmentTokens = 1500;

/** Tokens that a message comes to, roughly. */
export function estimateMessage(message: Message): number {
  let tokens = 4;
  for (const block of message.blocks) {
    switch (block.kind) {
      case 'text':
      case 'thinking':
        tokens += estimateTokens(block.text);
        break;
      case 'sealed-thinking':
        tokens += Math.ceil(block.data.length / 6);
        break;
      case 'image':
        tokens += attachmentTokens;
        break;
      case 'other':
        tokens += estimateTokens(JSON.stringify(block.data));
        break;
      case 'tool-call':
        tokens += estimateTokens(block.name + JSON.stringify(block.input));
        break;
      case 'tool-result':
        for (const one of block.content) tokens += one.kind === 'text' ? estimateTokens(one.text) : attachmentTokens;
        break;
      default:
        unreachable(block);
    }
  }
  return tokens;
}

export const estimateMessages = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + estimateMessage(message), 0);

/** Part of the window from which on a person is told that it fills up. */
const fullFrom = 0.8;

/** How full the context is, in percent, where that is worth telling; `undefined` where it is not, or not known. */
export function fullness(usage: {readonly contextTokens: number; readonly contextWindow: number}): number | undefined {
  const {contextTokens, contextWindow} = usage;
  if (contextWindow <= 0 || contextTokens < contextWindow * fullFrom) return undefined;
  return Math.round((contextTokens / contextWindow) * 100);
}
