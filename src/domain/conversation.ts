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

export type UserBlock = TextBlock | ImageBlock | ToolResultBlock;
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

/** A text that refers to pages of the web: to people it ends with them as links; its provider gets back what it wrote itself. */
export interface CitedTextBlock extends TextBlock {
  readonly cited: {readonly text: string; readonly citations: readonly JsonObject[]};
}

/** The images that models read. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** Base64 characters of the images that are taken at once: the largest image fits. */
export const maxImageData = 7_000_000;

export interface ImageBlock {
  readonly kind: 'image';
  readonly mediaType: (typeof imageTypes)[number];
  readonly data: string;
}

/** A PDF as it is; `data` is base64. */
export interface DocumentBlock {
  readonly kind: 'document';
  readonly mediaType: 'application/pdf';
  readonly name: string;
  readonly data: string;
}

/** A tool that the model has found, in words. A provider that can is given its name, and tells the model of it in its own form. */
export interface FoundToolText extends TextBlock {
  readonly foundTool: string;
}

export type ResultContent = TextBlock | FoundToolText | ImageBlock | DocumentBlock;

/** A block of a message; `block` is its index. */
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

/** How a tool call ended. `unknown`: the result was lost, or an earlier weft kept it. */
export type CallOutcome =
  | {readonly outcome: 'success' | 'error'}
  | {readonly outcome: 'cancelled'; readonly reason: CancelReason | 'unknown'};

export const callOutcome = (settled: Settled<unknown, unknown>): CallOutcome =>
  settled.state === 'cancelled' ? {outcome: 'cancelled', reason: settled.why.reason} : {outcome: settled.state};

/** The fields by which every protocol of weft's says how a call ended. */
export interface OutcomeFields {
  readonly outcome: CallOutcome['outcome'];
  /** Why a call was cancelled, if that is known. */
  readonly reason?: CancelReason;
}

/** Returns the fields for a call that ended so. */
export const outcomeFields = (end: CallOutcome): OutcomeFields =>
  end.outcome === 'cancelled' && end.reason !== 'unknown'
    ? {outcome: end.outcome, reason: end.reason}
    : {outcome: end.outcome};

/** Thinking of the model. `signature` is the provider's, empty if it gives none; it is sent back unchanged. */
export interface ThinkingBlock {
  readonly kind: 'thinking';
  readonly text: string;
  readonly signature: string;
}

/** The fields of chat completions in which servers send thinking. */
export const thinkingFields = ['reasoning_content', 'reasoning', 'reasoning_text', 'reasoning_details'] as const;

/** Thinking over chat completions. It goes back in the field it came in, and only to the server and the model it came from. */
export interface ChatThinkingBlock extends ThinkingBlock {
  readonly source: ThinkingSource;
}

export interface ThinkingSource {
  readonly host: string;
  /** The model that was asked. Servers answer under other names, too. */
  readonly model: string;
  readonly field: (typeof thinkingFields)[number];
  /** The items of `reasoning_details`, unchanged. */
  readonly details: readonly JsonObject[];
}

/** Thinking that the provider sends encrypted (Anthropic's `redacted_thinking`); it is sent back unchanged. */
export interface RedactedThinkingBlock {
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
 * A block of a type that weft does not know: `type` is the provider's, `data` holds its other fields unchanged. It is sent back
 * unchanged to the kind of API it came from, and never to another.
 */
export interface OtherBlock {
  readonly kind: 'other';
  readonly type: string;
  readonly data: JsonObject;
}

/** True if a block is an item of OpenAI's Responses API. Besides Anthropic's, no other API has blocks that weft doesn't know. */
export const isResponsesItem = ({type}: OtherBlock): boolean => type === 'reasoning' || type === 'web_search_call';

/**
 * Why the model stopped. `paused`: the provider wants the answer sent back as it is, and goes on with it (its own tools take long).
 * `interrupted` is weft's own: the user, a lost connection or the end of weft cut the message off.
 */
export type StopReason = 'end-turn' | 'tool-use' | 'max-tokens' | 'refusal' | 'context-full' | 'paused' | 'interrupted';

/** True if a block holds data that a chat completions server wants back with its tool calls. No other provider reads it. */
export const isCallExtras = ({type}: OtherBlock): boolean => type === callExtrasType;

/**
 * The type of such a block, one at the end of a message: `calls` has the `extra_content` of every call in their order, null if there
 * is none. Gemini's thought signatures are in it.
 */
export const callExtrasType = 'call_extras';

/** The text of a message as a person reads it: the first text of a user's message, without what weft attached; all texts of an answer. */
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

/** Replaces the input of a tool call that weft does not accept; the model reads `why`. */
export const omittedInput = (why: string): string => `${omittedPrefix}${why})`;

/** Replaces the input of a tool call that was cut off after that many characters. */
export const cutInput = (length: number): string => omittedInput(`cut after ${length} characters`);

/** The number of characters after which an input was cut off; `undefined` for any other input. */
export function cutLength(input: unknown): number | undefined {
  const length = /^cut after (\d+) characters$/u.exec(omittedInputReason(input) ?? '')?.[1];
  return length === undefined ? undefined : Number(length);
}

/** The reason why an input was omitted; `undefined` for an ordinary input. */
export const omittedInputReason = (input: unknown): string | undefined =>
  typeof input === 'string' && input.startsWith(omittedPrefix) ? input.slice(omittedPrefix.length, -1) : undefined;
