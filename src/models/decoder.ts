import {firstLine} from '../base/clip.ts';
import {type Json, type JsonObject, objectOf, parseJson, textOf} from '../base/json.ts';
import type {StopReason} from '../domain/conversation.ts';
import {messageId} from '../domain/ids.ts';
import type {BlockStart, ModelEvent} from '../domain/model-stream.ts';
import {noUsage, type Usage} from '../domain/usage.ts';
import {BlockBuilder} from './block-builder.ts';
import {
  type AnswerContent,
  connectionLost,
  type Endpoint,
  notMessage,
  type ProviderError,
  type Refused,
} from './provider-error.ts';

export interface DecoderOptions {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly newId: () => string;
  /** `kept`: an empty field for thinking becomes a block, because the server wants it back. */
  readonly emptyThinking?: 'kept' | 'dropped';
}

/** Reads one message. Skips unknown payloads, because servers add new kinds. */
export abstract class Decoder {
  /** Whether `message-finished` was emitted. */
  finished = false;
  /** The first payload that is not a part of a message. Empty if there was none. */
  unread = '';
  /** Whether `message-started` was emitted. */
  started = false;
  protected readonly options: DecoderOptions;
  protected usage: Usage = noUsage;
  /** The cost of the request in US dollars, if the provider reports it. */
  protected reportedUsd: number | undefined;
  readonly #blocks: BlockBuilder[] = [];

  constructor(options: DecoderOptions) {
    this.options = options;
  }

  /** Reads the cost in the headers of the response. LiteLLM sends zero with a stream, whose cost it can't know yet. */
  readHeaders(headers: Headers): void {
    const usd = dollarsOf(headers.get('x-litellm-response-cost') ?? undefined);
    if (usd !== 0) this.reportedUsd = usd;
  }

  /** Reads one payload of the stream and adds its events to `out`. */
  take(payload: string, out: ModelEvent[]): ProviderError | Refused | undefined {
    const parsed = parseJson(payload);
    if (parsed.tag === 'ok') {
      const isFirst = !this.started;
      const error = this.takeJson(parsed.value, out);
      const {choices, type} = objectOf(parsed.value);
      const isOdd = type === undefined && (!this.started || (isFirst && choices === undefined));
      if (isOdd) this.unread ||= payload;
      return isFirst && error?.kind === 'refused' ? {...error, status: 200} : error;
    }
    if (this.hasEnd) {
      this.end(out);
      return undefined;
    }
    return this.started
      ? connectionLost(`${this.options.endpoint.name} sent an event that is not JSON.`)
      : notMessage(payload);
  }

  /** True if the end of the answer came, so that the rest of the stream can be missing. */
  get hasEnd(): boolean {
    return this.finished;
  }

  get hasBlocks(): boolean {
    return this.#blocks.length > 0;
  }

  get content(): AnswerContent {
    const last = this.#blocks.findLast(
      ({start, text}) => start.kind === 'tool-call' || (start.kind === 'text' && text !== ''),
    );
    if (last === undefined) return 'none';
    const open = this.#blocks.filter(block => !block.finished);
    if (open.some(({start}) => start.kind === 'tool-call')) return 'cut-call';
    if (last.start.kind === 'text' && !endOfAnswer.test(last.text)) return last.finished ? 'cut-message' : 'cut-text';
    return open.every(({start}) => start.kind === 'text') ? 'whole' : 'cut-text';
  }

  /** Handles the end of the stream: finishes the message if it is complete. */
  abstract end(out: ModelEvent[]): void;

  /** Finishes the message with what has come, although its end is missing. */
  abstract endAsIs(out: ModelEvent[]): void;

  protected abstract takeJson(payload: Json, out: ModelEvent[]): ProviderError | Refused | undefined;

  protected start(message: JsonObject, out: ModelEvent[]): void {
    if (this.started) return;
    this.started = true;
    const {model, newId} = this.options;
    const id = messageId(textOf(message['id']) || `msg_${newId()}`);
    out.push({event: 'message-started', id, model: textOf(message['model']) || model, usage: this.usage});
  }

  protected begin(block: BlockStart, out: ModelEvent[]): BlockBuilder {
    const builder = new BlockBuilder(this.#blocks.length, block, out);
    this.#blocks.push(builder);
    return builder;
  }

  protected finish(stop: StopReason, out: ModelEvent[], explanation = ''): void {
    const said = firstLine(explanation, maxExplanation);
    const usage = this.reportedUsd === undefined ? this.usage : {...this.usage, costUsd: this.reportedUsd};
    out.push({event: 'message-finished', stop, usage, ...(said === '' ? {} : {explanation: said})});
    this.finished = true;
  }
}

/** Matches the end of a sentence, or of something that Markdown closes. */
const endOfAnswer = /[.!?…。！？؟।)\]}>"'”’»*_|`\p{Extended_Pictographic}\uFE0F]\s*$/u;

/** The maximum number of characters that weft shows of a provider's explanation. */
const maxExplanation = 300;

/** Returns the input of a tool call as JSON. Some servers send an object instead of a text. */
export function inputText(given: Json | undefined): string {
  if (typeof given === 'string') return given;
  return typeof given === 'object' && given !== null ? JSON.stringify(given) : '';
}

/** Reads a number of tokens; `undefined` for anything else. */
export const countOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** Reads an amount in US dollars, which some providers send as text. */
export function dollarsOf(value: Json | undefined): number | undefined {
  return countOf(typeof value === 'string' && value.trim() !== '' ? Number(value) : value);
}

/** Returns the cost in US dollars that a provider reports with the usage; `undefined` if it reports none. */
export function reportedCost(given: Json | undefined): number | undefined {
  const usage = objectOf(given);
  const cost = dollarsOf(usage['cost']);
  // xAI (docs.x.ai/developers/cost-tracking).
  const ticks = countOf(usage['cost_in_usd_ticks']);
  if (cost === undefined) return ticks === undefined ? undefined : ticks / 1e10;
  // With the user's own key, OpenRouter's cost is only its fee.
  const upstream = usage['is_byok'] === true ? objectOf(usage['cost_details'])['upstream_inference_cost'] : undefined;
  return cost + (dollarsOf(upstream) ?? 0);
}

/** Returns the usage for providers whose request tokens include the cached ones. weft counts each token once. */
export function usageOf(tokens: {readonly input: number; readonly output: number}, given: Json | undefined): Usage {
  const details = objectOf(given);
  const cacheReadTokens = Math.min(countOf(details['cached_tokens']) ?? 0, tokens.input);
  const cacheWriteTokens = Math.min(countOf(details['cache_write_tokens']) ?? 0, tokens.input - cacheReadTokens);
  const inputTokens = tokens.input - cacheReadTokens - cacheWriteTokens;
  return {inputTokens, outputTokens: tokens.output, cacheReadTokens, cacheWriteTokens};
}
