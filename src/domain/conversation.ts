import type {Json, JsonObject} from '../base/json.ts';
import type {ActionId, MessageId} from './ids.ts';
import type {CancelReason, Settled} from './settled.ts';
import type {Usage} from './usage.ts';

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

export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ToolResultBlock;
export type AssistantBlock =
  | TextBlock
  | CitedTextBlock
  | ThinkingBlock
  | ChatThinkingBlock
  | RedactedThinkingBlock
  | ToolCallBlock
  | OtherBlock;

export interface TextBlock {
  readonly kind: 'text';
  readonly text: string;
}

/** A text that cites web pages. People see the pages as links at its end. The provider gets its own text and citations back. */
export interface CitedTextBlock extends TextBlock {
  readonly cited: {readonly text: string; readonly citations: readonly JsonObject[]};
}

/** The images that models read. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** The maximum number of base64 characters of the images that weft accepts at once. The largest image fits. */
export const maxImageData = 7_000_000;

export interface ImageBlock {
  readonly kind: 'image';
  readonly mediaType: (typeof imageTypes)[number];
  readonly data: string;
}

/** A whole PDF. `data` is base64. */
export interface DocumentBlock {
  readonly kind: 'document';
  readonly mediaType: 'application/pdf';
  readonly name: string;
  readonly data: string;
}

/**
 * A tool that the model has found, in words. A provider that supports this gets the tool's name and tells the model
 * about the tool in the provider's own form.
 */
export interface FoundToolText extends TextBlock {
  readonly foundTool: string;
}

export type ResultContent = TextBlock | FoundToolText | ImageBlock | DocumentBlock;

/** The position of a block in a message. `block` is its index. */
export interface BlockAddress {
  readonly message: MessageId;
  readonly block: number;
}

/** The result of a tool call, as the model reads it. Every tool call is followed by exactly one, in the order of the calls. */
export type ToolResultBlock = CallOutcome & {
  readonly kind: 'tool-result';
  readonly id: ActionId;
  readonly content: readonly ResultContent[];
};

/** How a tool call ended. `unknown`: the result was lost, or an earlier version of weft stored it. */
export type CallOutcome =
  | {readonly outcome: 'success' | 'error'}
  | {readonly outcome: 'cancelled'; readonly reason: CancelReason | 'unknown'};

export const callOutcome = (settled: Settled<unknown, unknown>): CallOutcome =>
  settled.state === 'cancelled' ? {outcome: 'cancelled', reason: settled.why.reason} : {outcome: settled.state};

/** The fields that describe how a call ended in every protocol of weft's. */
export interface OutcomeFields {
  readonly outcome: CallOutcome['outcome'];
  /** Why a call was cancelled, if that is known. */
  readonly reason?: CancelReason;
}

/** Returns the fields that describe how a call ended. */
export const outcomeFields = (end: CallOutcome): OutcomeFields =>
  end.outcome === 'cancelled' && end.reason !== 'unknown'
    ? {outcome: end.outcome, reason: end.reason}
    : {outcome: end.outcome};

/** The model's thinking. `signature` is the provider's, or empty if it gives none. weft sends it back unchanged. */
export interface ThinkingBlock {
  readonly kind: 'thinking';
  readonly text: string;
  readonly signature: string;
}

/** The fields of chat completions in which servers send thinking. */
export const thinkingFields = ['reasoning_content', 'reasoning', 'reasoning_text', 'reasoning_details'] as const;

/** Thinking over chat completions. weft sends it back in the same field, and only to the server and model that sent it. */
export interface ChatThinkingBlock extends ThinkingBlock {
  readonly source: ThinkingSource;
}

export interface ThinkingSource {
  readonly host: string;
  /** The requested model. A server may answer under another name. */
  readonly model: string;
  readonly field: (typeof thinkingFields)[number];
  /** The items of `reasoning_details`, unchanged. */
  readonly details: readonly JsonObject[];
}

/** Thinking that the provider sends encrypted (Anthropic's `redacted_thinking`). weft sends it back unchanged. */
export interface RedactedThinkingBlock {
  readonly kind: 'sealed-thinking';
  readonly data: string;
}

/**
 * `input` is the JSON that the model wrote. If the model wrote something else, `input` is the raw text, and the call
 * settles as an error.
 */
export interface ToolCallBlock {
  readonly kind: 'tool-call';
  readonly id: ActionId;
  readonly name: string;
  readonly input: Json;
  /** The call as the model wrote it, if it called weft's tool by another name or with other fields. */
  readonly written?: WrittenCall;
}

export interface WrittenCall {
  readonly name: string;
  readonly input: Json;
}

/**
 * A block of a type that weft does not know. `type` is the provider's, and `data` holds its other fields. weft sends
 * the block back unchanged to the kind of API that sent it, and never to another.
 */
export interface OtherBlock {
  readonly kind: 'other';
  readonly type: string;
  readonly data: JsonObject;
}

/** True if a block is an item of OpenAI's Responses API. Besides Anthropic's, no other API has blocks that weft doesn't know. */
export const isResponsesItem = ({type}: OtherBlock): boolean => type === 'reasoning' || type === 'web_search_call';

/**
 * Why the model stopped. `paused`: the provider wants the answer sent back unchanged, and then continues it (its own
 * tools take long). `interrupted` is weft's own: the user, a lost connection or the end of weft cut the message off.
 */
export type StopReason = 'end-turn' | 'tool-use' | 'max-tokens' | 'refusal' | 'context-full' | 'paused' | 'interrupted';

/** True if a block holds data that a chat completions server wants back with its tool calls. No other provider reads it. */
export const isCallExtras = ({type}: OtherBlock): boolean => type === callExtrasType;

/**
 * The type of the block that holds data for a chat completions server, at the end of a message. Its `calls` has each
 * call's `extra_content`, or null, in order. Gemini's thought signatures are in it.
 */
export const callExtrasType = 'call_extras';

/**
 * Returns the text of a message as a person reads it: the first text of a user's message, without weft's attachments,
 * or all texts of an answer.
 */
export function messageText(message: Message): string {
  const texts = message.blocks.filter(block => block.kind === 'text').map(block => block.text);
  return message.role === 'user' ? (texts[0] ?? '') : texts.join('');
}

export const blockTexts = (blocks: readonly (UserBlock | AssistantBlock | ResultContent)[]): readonly string[] =>
  blocks.flatMap(block => (block.kind === 'text' ? [block.text] : []));

export const providerSearches = ({blocks}: AssistantMessage): number =>
  blocks.filter(
    block =>
      block.kind === 'other' &&
      (block.type === 'web_search_call' || (block.type === 'server_tool_use' && block.data['name'] === 'web_search')),
  ).length;

export const toolCalls = (message: AssistantMessage): readonly ToolCallBlock[] =>
  message.blocks.filter(block => block.kind === 'tool-call');

const omittedPrefix = '(left out by weft: ';

/** Returns the replacement for a tool call's input that weft does not accept. The model reads `why`. */
export const omittedInput = (why: string): string => `${omittedPrefix}${why})`;

/** Returns the replacement for a tool call's input that was cut off after `length` characters. */
export const cutInput = (length: number): string => omittedInput(`cut after ${length} characters`);

/** Returns the number of characters after which an input was cut off; `undefined` for any other input. */
export function cutLength(input: unknown): number | undefined {
  const length = /^cut after (\d+) characters$/u.exec(omittedInputReason(input) ?? '')?.[1];
  return length === undefined ? undefined : Number(length);
}

/** Returns the reason why an input was omitted; `undefined` for an ordinary input. */
export const omittedInputReason = (input: unknown): string | undefined =>
  typeof input === 'string' && input.startsWith(omittedPrefix) ? input.slice(omittedPrefix.length, -1) : undefined;
