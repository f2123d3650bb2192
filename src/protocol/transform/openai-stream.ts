import {type AnswerCall, type AnswerFailure, type AnswerPart, type AnswerUsage, serverEvent} from './answer-part.ts';
import {jsonText, type JsonObject} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type AnswerStream, type AnswerDialect, makeAnswerStream} from './answer-stream.ts';

export interface OpenAiStreamOptions {
  /** Of the completion, e.g. `chatcmpl-…`. */
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  readonly model: string;
}

/**
 * One response as the chunks of a chat completion, `[DONE]` at the end. Thinking has no place in these chunks and is left out.
 * An answer that failed ends with an error object in place of the chunk with the finish reason. The vendor's client takes no
 * more than 128 calls of one completion: of calls about todos that would crowd out others, only the latest are told, at the end.
 */
export const makeOpenAiStream = (options: OpenAiStreamOptions): AnswerStream =>
  makeAnswerStream(new OpenAiDialect(options));

class OpenAiDialect implements AnswerDialect {
  readonly #head: JsonObject;
  /** Of a chunk, up to its delta: the same in all of them, and there are many. */
  readonly #lead: string;
  #calls = 0;
  /** Calls about todos that wait for the end: the last whole list, and the marks after it. */
  #latest: readonly AnswerCall[] = [];

  constructor(options: OpenAiStreamOptions) {
    const {id, created, model} = options;
    this.#head = {id, object: 'chat.completion.chunk', created, model};
    this.#lead = `data: ${jsonText(this.#head).slice(0, -1)},"choices":[{"index":0,"delta":`;
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
        if (piece.subject === 'tool' || this.#calls < maxAtOnce) return [this.#call(piece)];
        this.#latest = piece.name === 'TodoWrite' ? [piece] : [...this.#latest, piece].slice(-maxLatest);
        return [];
      case 'finished': {
        const latest = this.#latest.map(call => this.#call(call));
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
    return `${this.#lead}${jsonText(delta)},"finish_reason":null}]}\n\n`;
  }

  #lastChunk(reason: string, usage: AnswerUsage | undefined): string {
    return serverEvent('', {
      ...this.#head,
      choices: [{index: 0, delta: {}, finish_reason: reason}],
      ...(usage === undefined ? {} : {usage: usageOf(usage)}),
    });
  }
}

/** Calls after which those about todos wait. */
const maxAtOnce = 96;
const maxLatest = 8;

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
