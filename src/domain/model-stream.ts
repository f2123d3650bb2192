import type {JsonObject} from '../base/json.ts';
import type {AssistantBlock, Message, OtherBlock, StopReason} from './conversation.ts';
import type {Fault} from './fault.ts';
import type {ActionId, MessageId} from './ids.ts';
import type {Usage} from './usage.ts';

/** One request to a model, in weft's own terms; each provider's module makes its wire form of it. */
export interface ModelRequest {
  readonly model: string;
  /** The stable beginning of every request of a session: cached by providers, so it must not change within one. */
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** Valid history: every tool call is followed by a user message that begins with all its results. */
  readonly messages: readonly Message[];
  readonly thinking: Thinking;
}

/** How much the model thinks before it answers; `default` leaves it to the model. `tokens` is a bound for one answer. */
export type Thinking =
  | {readonly kind: 'default'}
  | {readonly kind: 'disabled'}
  | {readonly kind: 'adaptive'}
  | {readonly kind: 'budget'; readonly tokens: number};

/** How much a model puts into its whole answer, from least to most. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/**
 * What a provider streams. Block indexes count from 0 in each message, in order of first appearance. A stream ends with
 * exactly one `message-finished` or `failed`; after an abort it may end with neither.
 */
export type ModelEvent =
  | {readonly event: 'message-started'; readonly id: MessageId; readonly model: string; readonly usage: Usage}
  | {readonly event: 'block-started'; readonly index: number; readonly block: BlockStart}
  | {readonly event: 'block-delta'; readonly index: number; readonly delta: BlockDelta}
  | {readonly event: 'block-finished'; readonly index: number; readonly block: AssistantBlock}
  | {readonly event: 'message-finished'; readonly stop: StopReason; readonly usage: Usage}
  /** The request will be sent again after `delayMs`. Text already streamed is not streamed again. */
  | {
      readonly event: 'retrying';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly status: number;
      readonly message: string;
    }
  | {readonly event: 'failed'; readonly fault: Fault};

export type BlockStart =
  | {readonly kind: 'text'}
  | {readonly kind: 'thinking'}
  | {readonly kind: 'sealed-thinking'; readonly data: string}
  | {readonly kind: 'tool-call'; readonly id: ActionId; readonly name: string}
  | OtherBlock;

export type BlockDelta =
  | {readonly kind: 'text'; readonly text: string}
  | {readonly kind: 'thinking'; readonly text: string}
  | {readonly kind: 'signature'; readonly signature: string}
  /** A piece of the JSON of a tool call's input. */
  | {readonly kind: 'tool-input'; readonly json: string}
  /** A piece of a block that weft has no word for, as it came. */
  | OtherBlock;

/** What is known of a model; `contextWindow` in tokens, 0 when unknown. */
export interface ModelFacts {
  readonly contextWindow: number;
  /** US dollars for `usage`, `'unknown'` where the price is not known. */
  costOf(usage: Usage): number | 'unknown';
}
