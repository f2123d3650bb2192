import {type AnswerCall, type AnswerFailure, type AnswerPart, type AnswerUsage, serverEvent} from './answer-part.ts';
import {jsonText, type JsonObject} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type AnswerStream, type AnswerDialect, makeAnswerStream} from './answer-stream.ts';

export interface OpenAiStreamOptions {
  /** The id of the completion, such as `chatcmpl-…`. */
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  readonly model: string;
}

/**
 * Writes one response as the chunks of a chat completion, with `[DONE]` at the end. These chunks can't contain
 * thinking, so it is dropped. A failed answer ends with an error object instead of the chunk with the finish reason.
 * OpenAI's client accepts at most 128 calls per completion. If todo calls would displace other calls, only the latest
 * are sent, at the end.
 */
export const makeOpenAiStream = (options: OpenAiStreamOptions): AnswerStream =>
  makeAnswerStream(new OpenAiDialect(options));

class OpenAiDialect implements AnswerDialect {
  readonly #head: JsonObject;
  /** The start of each chunk, up to its delta. It is the same in all chunks. */
  readonly #chunkPrefix: string;
  #calls = 0;
  /** The todo calls that wait for the end: the last whole list, and the updates after it. */
  #heldTodoCalls: readonly AnswerCall[] = [];

  constructor(options: OpenAiStreamOptions) {
    const {id, created, model} = options;
    this.#head = {id, object: 'chat.completion.chunk', created, model};
    this.#chunkPrefix = `data: ${jsonText(this.#head).slice(0, -1)},"choices":[{"index":0,"delta":`;
  }

  open(): readonly string[] {
    return [this.#chunk({role: 'assistant'})];
  }

  write(piece: AnswerPart): readonly string[] {
    switch (piece.kind) {
      case 'text':
        return [this.#chunk({content: piece.text})];
      case 'thinking':
        return [];
      case 'call':
        if (piece.subject === 'tool' || this.#calls < maxImmediateCalls) return [this.#call(piece)];
        this.#heldTodoCalls =
          piece.name === 'TodoWrite' ? [piece] : [...this.#heldTodoCalls, piece].slice(-maxHeldTodoCalls);
        return [];
      case 'finished': {
        const latest = this.#heldTodoCalls.map(call => this.#call(call));
        const reason = this.#calls > 0 ? 'tool_calls' : reasonOf[piece.stop];
        return [...latest, this.#lastChunk(reason, piece.usage), done];
      }
      case 'failed':
        return [serverEvent('', errorOf(piece.failure)), done];
      default:
        return unreachable(piece);
    }
  }

  #call({id, name, input}: AnswerCall): string {
    const index = this.#calls++;
    return this.#chunk({tool_calls: [{index, id, type: 'function', function: {name, arguments: input}}]});
  }

  #chunk(delta: JsonObject): string {
    return `${this.#chunkPrefix}${jsonText(delta)},"finish_reason":null}]}\n\n`;
  }

  #lastChunk(reason: string, usage: AnswerUsage | undefined): string {
    return serverEvent('', {
      ...this.#head,
      choices: [{index: 0, delta: {}, finish_reason: reason}],
      ...(usage === undefined ? {} : {usage: usageOf(usage)}),
    });
  }
}

/** The number of calls after which todo calls wait for the end. */
const maxImmediateCalls = 96;
const maxHeldTodoCalls = 8;

const done = 'data: [DONE]\n\n';

const reasonOf = {end: 'stop', length: 'length'} as const;

const usageOf = ({input, output, cacheRead}: AnswerUsage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: {cached_tokens: cacheRead},
});

const errorOf = ({reason, message}: AnswerFailure) => ({error: {message, param: null, ...errorKind[reason]}});

const errorKind = {
  'quota-limit': {type: 'insufficient_quota', code: 'insufficient_quota'},
  'context-window-exceeded': {type: 'invalid_request_error', code: 'context_length_exceeded'},
  'llm-unavailable': {type: 'server_error', code: 'service_unavailable'},
  'internal-error': {type: 'server_error', code: 'internal_error'},
  'invalid-api-key': {type: 'invalid_request_error', code: 'invalid_api_key'},
} as const satisfies Record<AnswerFailure['reason'], {type: string; code: string}>;
