import type {Json, JsonObject} from '../base/json.ts';
import type {ActionId, MessageId} from './ids.ts';
import type {Usage} from './usage.ts';

/** The conversation as weft keeps it: one form for every provider. */
export type Message = UserMessage | AssistantMessage;

export interface UserMessage {
  readonly role: 'user';
  readonly id: MessageId;
  readonly blocks: readonly UserBlock[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly id: MessageId;
  readonly model: string;
  readonly blocks: readonly AssistantBlock[];
  readonly stop: StopReason;
  readonly usage: Usage;
}

export type UserBlock = TextBlock | ImageBlock | ToolResultBlock;
export type AssistantBlock = TextBlock | ThinkingBlock | SealedThinkingBlock | ToolCallBlock | OtherBlock;

export interface TextBlock {
  readonly kind: 'text';
  readonly text: string;
}

/** `data` is base64. */
export interface ImageBlock {
  readonly kind: 'image';
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly data: string;
}

/** A PDF as it is; `data` is base64. */
export interface DocumentBlock {
  readonly kind: 'document';
  readonly mediaType: 'application/pdf';
  readonly name: string;
  readonly data: string;
}

/** What a result can hold. */
export type ResultContent = TextBlock | ImageBlock | DocumentBlock;

/** What the model hears of one of its calls. Exactly one follows every tool call, in the order of the calls. */
export interface ToolResultBlock {
  readonly kind: 'tool-result';
  readonly id: ActionId;
  readonly content: readonly ResultContent[];
  readonly outcome: 'success' | 'error' | 'cancelled';
}

/** `signature` is the provider's seal, empty where it gives none; it goes back unchanged. */
export interface ThinkingBlock {
  readonly kind: 'thinking';
  readonly text: string;
  readonly signature: string;
}

/** Thinking the provider does not show; it goes back unchanged. */
export interface SealedThinkingBlock {
  readonly kind: 'sealed-thinking';
  readonly data: string;
}

/** `input` is what the model wrote; when that was not JSON it is the raw text, and the call settles as an error. */
export interface ToolCallBlock {
  readonly kind: 'tool-call';
  readonly id: ActionId;
  readonly name: string;
  readonly input: Json;
}

/**
 * What weft has no word for: `type` is the provider's own, `data` the rest of it as it came. It goes back unchanged to the kind of
 * API it came from, and to no other.
 */
export interface OtherBlock {
  readonly kind: 'other';
  readonly type: string;
  readonly data: JsonObject;
}

/**
 * Why the model stopped. `interrupted` is ours: the message was cut off by the user, by a lost connection or by leaving.
 */
export type StopReason = 'end-turn' | 'tool-use' | 'max-tokens' | 'refusal' | 'context-full' | 'interrupted';

/** The text a person reads in a message: of a user's the words, without what the host put behind them; else all of it. */
export function messageText(message: Message): string {
  const texts = message.blocks.filter(block => block.kind === 'text').map(block => block.text);
  return message.role === 'user' ? (texts[0] ?? '') : texts.join('');
}

/** The texts among the blocks, in order. */
export const blockTexts = (blocks: readonly (UserBlock | AssistantBlock | ResultContent)[]): readonly string[] =>
  blocks.flatMap(block => (block.kind === 'text' ? [block.text] : []));

export const toolCalls = (message: AssistantMessage): readonly ToolCallBlock[] =>
  message.blocks.filter(block => block.kind === 'tool-call');

const leftOutMark = '(left out by weft: ';

/** What stands in the place of the input of a tool call that weft does not take; `why` is told to the model. */
export const leftOutInput = (why: string): string => `${leftOutMark}${why})`;

/** Why an input is not there; `undefined` for all others. */
export const whyLeftOut = (input: unknown): string | undefined =>
  typeof input === 'string' && input.startsWith(leftOutMark) ? input.slice(leftOutMark.length, -1) : undefined;
