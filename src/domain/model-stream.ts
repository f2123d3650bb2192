import type {JsonObject} from '../base/json.ts';
import type {AssistantBlock, BlockAddress, Message, OtherBlock, StopReason} from './conversation.ts';
import type {Fault} from './fault.ts';
import type {ActionId, MessageId} from './ids.ts';
import type {Profile} from './model-family.ts';
import type {ModelFallback} from './model-fallback.ts';
import type {Usage} from './usage.ts';

/** One request to a model, in weft's own form. The code of each provider translates it into the provider's wire format. */
export interface ModelRequest {
  readonly model: string;
  /** The system prompt. It must not change within a session, because providers cache the beginning of a request. */
  readonly system: string;
  readonly tools: readonly (ToolSpec | ProviderTool)[];
  /** A valid history: every message with tool calls is followed by a user message that begins with all their results. */
  readonly messages: readonly Message[];
  readonly thinking: Thinking;
  /** The maximum number of tokens of the answer. `default`: as many as are usual for the model. */
  readonly maxTokens: number | 'default';
}

/**
 * How much the model thinks before it answers. `default` lets the model decide. `tokens` is the limit for one answer.
 * `brief`: as little as possible for a model that thinks.
 */
export type Thinking =
  | {readonly kind: 'default'}
  | {readonly kind: 'brief'}
  | {readonly kind: 'disabled'}
  | {readonly kind: 'adaptive'}
  | {readonly kind: 'budget'; readonly tokens: number};

/** How much effort a model spends on its whole answer, from least to most. No model has all levels. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

/** A tool that the provider has and runs itself. */
export interface ProviderTool {
  readonly provided: 'searching';
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** The grammar (Lark) of the tool's only field, for providers that take it as free text. */
  readonly grammar?: string;
  /**
   * `since-found`: the model got the tool only after searching for it, so earlier requests of the session lacked it.
   */
  readonly offered: 'from-the-start' | 'since-found';
}

/**
 * An event of a provider's stream. Block indexes count from 0 in each message, in order of first appearance. A stream ends with
 * exactly one `message-finished` or `failed`; after an abort it may end with neither.
 */
export type ModelEvent =
  | {readonly event: 'message-started'; readonly id: MessageId; readonly model: string; readonly usage: Usage}
  | {readonly event: 'block-started'; readonly index: number; readonly block: BlockStart}
  | {readonly event: 'block-delta'; readonly index: number; readonly delta: BlockDelta}
  | {readonly event: 'block-finished'; readonly index: number; readonly block: AssistantBlock}
  | {
      readonly event: 'message-finished';
      readonly stop: StopReason;
      readonly usage: Usage;
      /** Why the provider stopped the answer, in its own words, if it says so. */
      readonly explanation?: string;
      /** A tool call that the model wrote as text, if no known tool can be called from it. It is not part of the text. */
      readonly unread?: string;
    }
  /** The request will be sent again after `delayMs`. Text already streamed is not streamed again. */
  | {
      readonly event: 'retrying';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly status: number;
      readonly message: string;
    }
  /** Cancels an earlier `message-started`: the message is the other model's. */
  | ModelFallback
  | Repaired
  /** The usage of an answer that fails or is stopped. It comes last, or directly before `failed`. */
  | {readonly event: 'billed'; readonly usage: Usage}
  | {readonly event: 'failed'; readonly fault: Fault};

/** The provider refused the request before any part of an answer, and weft sends it again in another form. */
export interface Repaired {
  readonly event: 'repaired';
  /** The name of the repair, for programs. */
  readonly repair: string;
  /** One line for the user. */
  readonly text: string;
  /** The images and documents that the provider can't read. Text replaces them from now on. */
  readonly leftOut: readonly BlockAddress[];
}

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
  /** A part of the JSON text of a tool call's input. */
  | {readonly kind: 'tool-input'; readonly json: string}
  /** A delta of a block of a type that weft does not know, unchanged. */
  | OtherBlock;

/** The facts that weft has about a model. `contextWindow` is in tokens, 0 if unknown. */
export interface ModelFacts {
  readonly profile: Profile;
  readonly contextWindow: number;
  readonly images: 'seen' | 'unseen' | 'unknown';
  /** `named`: the model only learns the names of PDFs. */
  readonly pdfs: 'sent' | 'named';
  /** The effort of the next request, and the levels that the model is known to have. */
  readonly effort: Effort | 'default';
  readonly efforts: readonly Effort[];
  /**
   * The effect that a change of the effort has on a conversation. `appended`: a message announces it, and the
   * provider's cache stays valid. `cache-lost`: the provider reads the whole conversation again.
   */
  readonly effortChange: 'appended' | 'cache-lost';
  /** How long the provider keeps the cache of a conversation, in milliseconds. Five minutes if it is missing. */
  readonly cacheLifeMs?: number;
  readonly costOf: (usage: Usage) => number | 'unknown';
}

export const unknownFacts: ModelFacts = {
  profile: 'open',
  contextWindow: 0,
  images: 'unknown',
  pdfs: 'sent',
  effort: 'default',
  efforts: [],
  effortChange: 'cache-lost',
  costOf: () => 'unknown',
};

/** A model provider, as the engine sees it. */
export interface ModelPort {
  /** `anthropic`, `openai` or `replay`. */
  readonly provider: string;
  /** True if the provider has its own tool for searching the web while the model answers. */
  readonly searchesWeb: boolean;
  /**
   * Streams one answer, in batches as they arrive. An expected error is a `failed` event; retries happen inside. After an
   * abort the iteration ends soon, without throwing.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]>;
  facts(model: string): ModelFacts;
}

/** Describes the effort of a model and the levels that it has. */
export const effortText = (model: string, {effort, efforts: levels}: Pick<ModelFacts, 'effort' | 'efforts'>): string =>
  `Effort of ${model}: ${effort === 'default' ? "the model's default" : effort}. ${levels.length === 0 ? 'weft knows no levels of this model.' : `Its levels are ${levels.join(', ')}.`}`;
