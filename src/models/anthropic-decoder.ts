import {isJsonObject, parseJson, type Json, type JsonObject} from '../base/json.ts';
import type {OtherBlock, StopReason} from '../domain/conversation.ts';
import {actionId, messageId} from '../domain/ids.ts';
import type {BlockDelta, BlockStart, ModelEvent} from '../domain/model-stream.ts';
import {noUsage, type Usage} from '../domain/usage.ts';
import {BlockBuilder} from './block-builder.ts';
import {linksTo, mostCitations} from './citation-links.ts';
import {connectionLost, type Endpoint, type ProviderError, readErrorBody, errorFromRefusal} from './provider-error.ts';
import type {Decoder} from './send-request.ts';

/** Reads the event stream of the Messages API. Events it does not know are skipped; blocks it does not know are kept as they are. */
export class AnthropicDecoder implements Decoder {
  finished = false;
  readonly #endpoint: Endpoint;
  readonly #model: string;
  readonly #newId: () => string;
  #started = false;
  #blocks = 0;
  #calls = 0;
  readonly #open = new Map<number, BlockBuilder>();
  /** What open text blocks refer to, as it came. */
  readonly #cited = new Map<number, JsonObject[]>();
  #stop: StopReason | undefined;
  #usage: Usage = noUsage;

  constructor({endpoint, model, newId}: {endpoint: Endpoint; model: string; newId: () => string}) {
    this.#endpoint = endpoint;
    this.#model = model;
    this.#newId = newId;
  }

  take(payload: string, out: ModelEvent[]): ProviderError | undefined {
    const parsed = parseJson(payload);
    if (parsed.tag === 'failed') return connectionLost(`${this.#endpoint.name} sent an event that is not JSON.`);
    const event = parsed.value;
    if (!isJsonObject(event)) return undefined;
    switch (event['type']) {
      case 'content_block_delta':
        this.#addDelta(event, out);
        return undefined;
      case 'content_block_start':
        this.#startBlock(event, out);
        return undefined;
      case 'content_block_stop':
        this.#finishBlock(indexOf(event), out);
        return undefined;
      case 'message_start':
        this.#startMessage(objectIn(event, 'message'), out);
        return undefined;
      case 'message_delta':
        this.#usage = readUsage(event['usage'], this.#usage);
        this.#stop = readStop(objectIn(event, 'delta')['stop_reason'], this.#calls) ?? this.#stop;
        return undefined;
      case 'message_stop':
        this.#finish(out);
        return undefined;
      case 'error':
        return this.#readError(event);
      default:
        return undefined;
    }
  }

  end(out: ModelEvent[]): void {
    // Everything but the closing event has come: the answer is whole.
    if (this.#stop !== undefined && this.#open.size === 0) this.#finish(out);
  }

  #startMessage(message: JsonObject, out: ModelEvent[]): void {
    if (this.#started) return;
    this.#started = true;
    this.#usage = readUsage(message['usage'], noUsage);
    const id = messageId(textIn(message, 'id') || this.#newId());
    out.push({event: 'message-started', id, model: textIn(message, 'model') || this.#model, usage: this.#usage});
  }

  #startBlock(event: JsonObject, out: ModelEvent[]): void {
    const content = objectIn(event, 'content_block');
    const start = this.#readStart(content);
    if (start === undefined) return;
    this.#startMessage({}, out);
    this.#finishBlock(indexOf(event), out);
    const block = new BlockBuilder(this.#blocks++, start, out);
    this.#open.set(indexOf(event), block);
    // Blocks begin empty, but some servers send the first words, or all of an input, at once.
    for (const delta of startingDeltas(start, content)) block.add(delta, out);
  }

  #readStart(content: JsonObject): BlockStart | undefined {
    switch (content['type']) {
      case 'text':
        return {kind: 'text'};
      case 'thinking':
        return {kind: 'thinking'};
      case 'redacted_thinking':
        return {kind: 'sealed-thinking', data: textIn(content, 'data')};
      case 'tool_use':
        return {
          kind: 'tool-call',
          id: actionId(textIn(content, 'id') || `toolu_${this.#newId()}`),
          name: textIn(content, 'name'),
        };
      default:
        return other(content);
    }
  }

  #addDelta(event: JsonObject, out: ModelEvent[]): void {
    const block = this.#open.get(indexOf(event));
    if (block?.start.kind === 'text') this.#cite(indexOf(event), event['delta']);
    const delta = block?.start.kind === 'other' ? other(event['delta']) : readDelta(event['delta']);
    if (delta !== undefined) block?.add(delta, out);
  }

  #cite(index: number, delta: Json | undefined): void {
    if (!isJsonObject(delta) || delta['type'] !== 'citations_delta') return;
    const citation = objectIn(delta, 'citation');
    if (typeof citation['type'] !== 'string') return;
    const cited = this.#cited.get(index) ?? [];
    this.#cited.set(index, cited);
    if (cited.length < mostCitations) cited.push(citation);
  }

  #finishBlock(index: number, out: ModelEvent[]): void {
    const block = this.#open.get(index);
    if (block === undefined) return;
    this.#open.delete(index);
    const cited = this.#cited.get(index) ?? [];
    this.#cited.delete(index);
    const finished = cited.length === 0 ? block.finish(out) : block.finishCited(cited, linksTo(cited, block.text), out);
    if (finished.kind === 'tool-call') this.#calls++;
  }

  #finish(out: ModelEvent[]): void {
    this.#startMessage({}, out);
    for (const index of this.#open.keys()) this.#finishBlock(index, out);
    const stop = this.#stop ?? (this.#calls > 0 ? 'tool-use' : 'end-turn');
    out.push({event: 'message-finished', stop, usage: this.#usage});
    this.finished = true;
  }

  #readError(event: JsonObject): ProviderError {
    const {code, message} = readErrorBody(event, '');
    return errorFromRefusal({status: statusOf(code), header: () => null, code, message}, this.#endpoint, this.#model);
  }
}

/** The HTTP status an error would have had if it had come before the stream began. */
function statusOf(code: string): number {
  const statuses: Readonly<Record<string, number>> = {
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    request_too_large: 413,
    rate_limit_error: 429,
    timeout_error: 504,
    overloaded_error: 529,
  };
  const [type = ''] = code.split(' ');
  return Object.hasOwn(statuses, type) ? (statuses[type] ?? 500) : 500;
}

function other(value: Json | undefined): OtherBlock | undefined {
  if (!isJsonObject(value)) return undefined;
  const {type, ...data} = value;
  return typeof type === 'string' ? {kind: 'other', type, data} : undefined;
}

function readDelta(delta: Json | undefined): BlockDelta | undefined {
  if (!isJsonObject(delta)) return undefined;
  switch (delta['type']) {
    case 'text_delta':
      return {kind: 'text', text: textIn(delta, 'text')};
    case 'input_json_delta':
      return {kind: 'tool-input', json: textIn(delta, 'partial_json')};
    case 'thinking_delta':
      return {kind: 'thinking', text: textIn(delta, 'thinking')};
    case 'signature_delta':
      return {kind: 'signature', signature: textIn(delta, 'signature')};
    default:
      return undefined;
  }
}

function startingDeltas(start: BlockStart, content: JsonObject): readonly BlockDelta[] {
  if (start.kind === 'text') return [{kind: 'text', text: textIn(content, 'text')}];
  if (start.kind === 'thinking') {
    return [
      {kind: 'thinking', text: textIn(content, 'thinking')},
      {kind: 'signature', signature: textIn(content, 'signature')},
    ];
  }
  const input = content['input'];
  const given = start.kind === 'tool-call' && isJsonObject(input) && Object.keys(input).length > 0;
  return given ? [{kind: 'tool-input', json: JSON.stringify(input)}] : [];
}

function readStop(reason: Json | undefined, calls: number): StopReason | undefined {
  switch (reason) {
    case undefined:
    case null:
      return undefined;
    case 'tool_use':
      return 'tool-use';
    case 'max_tokens':
      return 'max-tokens';
    case 'refusal':
      return 'refusal';
    case 'model_context_window_exceeded':
      return 'context-full';
    case 'pause_turn':
      return 'paused';
    default:
      return calls > 0 ? 'tool-use' : 'end-turn';
  }
}

/** The counts are cumulative: a number that comes again replaces the one before it. */
function readUsage(usage: Json | undefined, before: Usage): Usage {
  if (!isJsonObject(usage)) return before;
  return {
    inputTokens: countIn(usage, 'input_tokens') ?? before.inputTokens,
    outputTokens: countIn(usage, 'output_tokens') ?? before.outputTokens,
    cacheReadTokens: countIn(usage, 'cache_read_input_tokens') ?? before.cacheReadTokens,
    cacheWriteTokens: countIn(usage, 'cache_creation_input_tokens') ?? before.cacheWriteTokens,
  };
}

function countIn(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function textIn(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

function objectIn(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

const indexOf = (event: JsonObject): number => (typeof event['index'] === 'number' ? event['index'] : -1);
