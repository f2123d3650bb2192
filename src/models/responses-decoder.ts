import {isJsonObject, type Json, type JsonObject, parseJson} from '../base/json.ts';
import type {StopReason} from '../domain/conversation.ts';
import {actionId, messageId} from '../domain/ids.ts';
import type {ModelEvent} from '../domain/model-stream.ts';
import {noUsage, type Usage} from '../domain/usage.ts';
import {BlockBuilder} from './block-builder.ts';
import {linksTo, mostCitations} from './citation-links.ts';
import {readStreamError} from './openai-decoder.ts';
import {connectionLost, type Endpoint, type ProviderError} from './provider-error.ts';
import type {Decoder} from './send-request.ts';

/** The block of an output item that is growing. */
interface OpenItem {
  readonly block: BlockBuilder;
  /** The pages that a text refers to, as they came. */
  readonly citations: JsonObject[];
  /** The part of the item that grows: parts of one text follow each other, parts of a summary are paragraphs. */
  part: number;
}

/**
 * Reads the event stream of OpenAI's Responses API, and whole responses from servers that do not stream. Events and items that it does
 * not know are skipped: the API adds some often. Reasoning becomes a thinking block with what people may read of it and, behind it,
 * the item that the model gets back.
 */
export class ResponsesDecoder implements Decoder {
  finished = false;
  readonly #endpoint: Endpoint;
  readonly #model: string;
  readonly #newId: () => string;
  #started = false;
  #blocks = 0;
  #calls = 0;
  /** By output index. */
  readonly #open = new Map<number, OpenItem>();

  constructor({endpoint, model, newId}: {endpoint: Endpoint; model: string; newId: () => string}) {
    this.#endpoint = endpoint;
    this.#model = model;
    this.#newId = newId;
  }

  take(payload: string, out: ModelEvent[]): ProviderError | undefined {
    if (payload.trim() === '[DONE]') return undefined;
    const parsed = parseJson(payload);
    if (parsed.tag === 'failed') return connectionLost(`${this.#endpoint.name} sent an event that is not JSON.`);
    return isJsonObject(parsed.value) ? this.#takeEvent(parsed.value, out) : undefined;
  }

  /** A response that ends without saying so was cut off. */
  end(): void {}

  #takeEvent(event: JsonObject, out: ModelEvent[]): ProviderError | undefined {
    const at = countIn(event, 'output_index');
    switch (event['type']) {
      case 'response.created':
        this.#start(objectIn(event, 'response'), out);
        return undefined;
      case 'response.output_item.added':
        this.#begin(at, objectIn(event, 'item'), out);
        return undefined;
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#addText({at, kind: 'text', part: countIn(event, 'content_index'), text: textIn(event, 'delta')}, out);
        return undefined;
      case 'response.reasoning_summary_text.delta':
        this.#addText({at, kind: 'thinking', part: countIn(event, 'summary_index'), text: textIn(event, 'delta')}, out);
        return undefined;
      case 'response.reasoning_text.delta':
        this.#addText({at, kind: 'thinking', part: countIn(event, 'content_index'), text: textIn(event, 'delta')}, out);
        return undefined;
      case 'response.output_text.annotation.added':
        this.#cite(at, event['annotation']);
        return undefined;
      case 'response.function_call_arguments.delta':
        this.#open.get(at)?.block.add({kind: 'tool-input', json: textIn(event, 'delta')}, out);
        return undefined;
      case 'response.output_item.done':
        this.#finishItem(at, objectIn(event, 'item'), out);
        return undefined;
      case 'response.completed':
      case 'response.incomplete':
        this.#finish(objectIn(event, 'response'), out);
        return undefined;
      case 'response.failed':
        return this.#failure(objectIn(event, 'response'));
      case 'error':
        return readStreamError(isJsonObject(event['error']) ? event : {error: event}, this.#endpoint, this.#model);
      case undefined:
        return this.#takeWhole(event, out);
      default:
        return undefined;
    }
  }

  /** A response that came at once. */
  #takeWhole(response: JsonObject, out: ModelEvent[]): ProviderError | undefined {
    if (isJsonObject(response['error'])) return this.#failure(response);
    if (response['object'] !== 'response') return undefined;
    this.#start(response, out);
    const items = Array.isArray(response['output']) ? response['output'] : [];
    for (const [at, item] of items.entries()) if (isJsonObject(item)) this.#finishItem(at, item, out);
    this.#finish(response, out);
    return undefined;
  }

  #failure(response: JsonObject): ProviderError {
    return readStreamError({error: response['error'] ?? {}}, this.#endpoint, this.#model);
  }

  #start(response: JsonObject, out: ModelEvent[]): void {
    if (this.#started) return;
    this.#started = true;
    const id = messageId(textIn(response, 'id') || `msg_${this.#newId()}`);
    out.push({event: 'message-started', id, model: textIn(response, 'model') || this.#model, usage: noUsage});
  }

  #begin(at: number, item: JsonObject, out: ModelEvent[]): void {
    this.#start({}, out);
    if (item['type'] !== 'function_call' || this.#open.has(at)) return;
    const id = actionId(textIn(item, 'call_id') || textIn(item, 'id') || `call_${this.#newId()}`);
    const block = new BlockBuilder(this.#blocks++, {kind: 'tool-call', id, name: textIn(item, 'name')}, out);
    this.#open.set(at, {block, citations: [], part: 0});
  }

  #addText(
    {
      at,
      kind,
      part,
      text,
    }: {readonly at: number; readonly kind: 'text' | 'thinking'; readonly part: number; readonly text: string},
    out: ModelEvent[],
  ): void {
    if (text === '') return;
    this.#start({}, out);
    let open = this.#open.get(at);
    if (open !== undefined && open.block.start.kind !== kind) return;
    if (open === undefined) {
      open = {block: new BlockBuilder(this.#blocks++, {kind}, out), citations: [], part};
      this.#open.set(at, open);
    }
    const paragraph = kind === 'thinking' && open.part !== part && open.block.text !== '';
    open.part = part;
    open.block.add({kind, text: paragraph ? `\n\n${text}` : text}, out);
  }

  #cite(at: number, annotation: Json | undefined): void {
    const citations = this.#open.get(at)?.citations;
    if (citations === undefined || citations.length >= mostCitations) return;
    if (isJsonObject(annotation) && annotation['type'] === 'url_citation') citations.push(annotation);
  }

  /** The whole item: what was not streamed of it is taken from here. */
  #finishItem(at: number, item: JsonObject, out: ModelEvent[]): void {
    this.#start({}, out);
    switch (item['type']) {
      case 'message':
        if (!this.#open.has(at)) this.#addParts(at, 'text', item['content'], out);
        break;
      case 'function_call':
        this.#begin(at, item, out);
        if (this.#open.get(at)?.block.text === '') {
          this.#open.get(at)?.block.add({kind: 'tool-input', json: textIn(item, 'arguments')}, out);
        }
        break;
      case 'reasoning':
        if (!this.#open.has(at)) this.#addParts(at, 'thinking', item['summary'], out);
        break;
      default:
    }
    this.#close(at, out);
    if (isKept(item)) this.#keep(item, out);
  }

  #addParts(at: number, kind: 'text' | 'thinking', parts: Json | undefined, out: ModelEvent[]): void {
    if (!Array.isArray(parts)) return;
    for (const [part, content] of parts.entries()) {
      if (!isJsonObject(content)) continue;
      this.#addText({at, kind, part, text: textIn(content, 'text') || textIn(content, 'refusal')}, out);
      const annotations = content['annotations'];
      if (Array.isArray(annotations)) for (const annotation of annotations) this.#cite(at, annotation);
    }
  }

  #keep({type, ...data}: JsonObject, out: ModelEvent[]): void {
    if (typeof type !== 'string') return;
    new BlockBuilder(this.#blocks++, {kind: 'other', type, data}, out).finish(out);
  }

  #close(at: number, out: ModelEvent[]): void {
    const open = this.#open.get(at);
    if (open === undefined) return;
    this.#open.delete(at);
    const {block, citations} = open;
    const finished =
      citations.length === 0 ? block.finish(out) : block.finishCited(citations, linksTo(citations, block.text), out);
    if (finished.kind === 'tool-call') this.#calls++;
  }

  #finish(response: JsonObject, out: ModelEvent[]): void {
    this.#start(response, out);
    for (const at of this.#open.keys()) this.#close(at, out);
    const reason = textIn(objectIn(response, 'incomplete_details'), 'reason');
    out.push({event: 'message-finished', stop: readStop(reason, this.#calls), usage: readUsage(response['usage'])});
    this.finished = true;
  }
}

/** What the model takes back as it is. Reasoning without its encrypted text would have to lie at OpenAI, where weft stores nothing. */
const isKept = (item: JsonObject): boolean =>
  item['type'] === 'web_search_call' ||
  (item['type'] === 'reasoning' && typeof item['encrypted_content'] === 'string' && item['encrypted_content'] !== '');

function readStop(incomplete: string, calls: number): StopReason {
  switch (incomplete) {
    case 'max_output_tokens':
      return 'max-tokens';
    case 'content_filter':
      return 'refusal';
    default:
      return calls > 0 ? 'tool-use' : 'end-turn';
  }
}

/** `input_tokens` counts cached tokens too; weft counts each token once. */
function readUsage(usage: Json | undefined): Usage {
  if (!isJsonObject(usage)) return noUsage;
  const details = objectIn(usage, 'input_tokens_details');
  const input = countIn(usage, 'input_tokens');
  const cacheReadTokens = Math.min(countIn(details, 'cached_tokens'), input);
  const cacheWriteTokens = Math.min(countIn(details, 'cache_write_tokens'), input - cacheReadTokens);
  return {
    inputTokens: input - cacheReadTokens - cacheWriteTokens,
    outputTokens: countIn(usage, 'output_tokens'),
    cacheReadTokens,
    cacheWriteTokens,
  };
}

function countIn(object: JsonObject, key: string): number {
  const value = object[key];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}

function textIn(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

function objectIn(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}
