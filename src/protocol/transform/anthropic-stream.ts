import {type AnswerFailure, type AnswerPart, type AnswerText, type AnswerUsage, serverEvent} from './answer-part.ts';
import type {JsonObject} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type AnswerStream, type AnswerDialect, makeAnswerStream} from './answer-stream.ts';

export interface AnthropicStreamOptions {
  /** The id of the message, such as `msg_…`. */
  readonly id: string;
  readonly model: string;
}

/**
 * Writes one response as Anthropic message events. Thinking becomes thinking blocks without a signature, so they can't
 * be sent back to Anthropic. Text that starts over, because earlier text changed, gets a new block. A failed answer
 * closes its block and ends with an `error` event instead of `message_stop`.
 */
export const makeAnthropicStream = (options: AnthropicStreamOptions): AnswerStream =>
  makeAnswerStream(new AnthropicDialect(options));

class AnthropicDialect implements AnswerDialect {
  readonly #options: AnthropicStreamOptions;
  #open: AnswerText['kind'] | undefined;
  /** The number of closed blocks, which is the index of the open or next one. */
  #index = 0;
  #called: 'yes' | 'no' = 'no';

  constructor(options: AnthropicStreamOptions) {
    this.#options = options;
  }

  open(): readonly string[] {
    const message = {
      ...this.#options,
      type: 'message',
      role: 'assistant',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {input_tokens: 0, output_tokens: 0},
    };
    return [event({type: 'message_start', message})];
  }

  write(piece: AnswerPart): readonly string[] {
    switch (piece.kind) {
      case 'text':
      case 'thinking':
        return this.#say(piece);
      case 'call': {
        const {id, name, input} = piece;
        this.#called = 'yes';
        return [
          ...this.#close(),
          this.#start({type: 'tool_use', id, name, input: {}}),
          this.#delta({type: 'input_json_delta', partial_json: input}),
          this.#stop(),
        ];
      }
      case 'finished': {
        const reason = this.#called === 'yes' ? 'tool_use' : reasonOf[piece.stop];
        const delta = {stop_reason: reason, stop_sequence: null};
        return [
          ...this.#close(),
          event({type: 'message_delta', delta, usage: usageOf(piece.usage)}),
          event({type: 'message_stop'}),
        ];
      }
      case 'failed':
        return [...this.#close(), event({type: 'error', error: errorOf(piece.failure)})];
      default:
        return unreachable(piece);
    }
  }

  #say({kind, text, opening}: AnswerText): readonly string[] {
    if (this.#open === kind && opening === 'continues') return [this.#delta(deltaOf(kind, text))];
    const closed = this.#close();
    this.#open = kind;
    const block = kind === 'text' ? {type: 'text', text: ''} : {type: 'thinking', thinking: '', signature: ''};
    return [...closed, this.#start(block), this.#delta(deltaOf(kind, text))];
  }

  #close(): readonly string[] {
    if (this.#open === undefined) return [];
    this.#open = undefined;
    return [this.#stop()];
  }

  #start(block: JsonObject): string {
    return event({type: 'content_block_start', index: this.#index, content_block: block});
  }

  #delta(delta: JsonObject): string {
    return event({type: 'content_block_delta', index: this.#index, delta});
  }

  #stop(): string {
    const stop = event({type: 'content_block_stop', index: this.#index});
    this.#index += 1;
    return stop;
  }
}

const event = (data: JsonObject & {readonly type: string}): string => serverEvent(data.type, data);

const deltaOf = (kind: AnswerText['kind'], text: string): JsonObject =>
  kind === 'text' ? {type: 'text_delta', text} : {type: 'thinking_delta', thinking: text};

const reasonOf = {end: 'end_turn', length: 'max_tokens'} as const;

/** Converts the usage. In this API, input tokens do not include cached ones. */
function usageOf(usage: AnswerUsage | undefined): JsonObject {
  if (usage === undefined) return {output_tokens: 0};
  const {input, output, cacheRead, cacheWrite} = usage;
  return {
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}

const errorOf = ({reason, message}: AnswerFailure): JsonObject => ({type: errorType[reason], message});

const errorType = {
  'quota-limit': 'rate_limit_error',
  'context-window-exceeded': 'invalid_request_error',
  'llm-unavailable': 'overloaded_error',
  'internal-error': 'api_error',
  'invalid-api-key': 'authentication_error',
} as const satisfies Record<AnswerFailure['reason'], string>;
