import {isJsonObject, type Json, type JsonObject, listOf, objectOf, textOf} from '../base/json.ts';
import type {StopReason} from '../domain/conversation.ts';
import {actionId} from '../domain/ids.ts';
import type {ModelEvent} from '../domain/model-stream.ts';
import {noUsage, type Usage} from '../domain/usage.ts';
import type {BlockBuilder} from './block-builder.ts';
import {countOf, Decoder, inputText, reportedCost, usageOf} from './decoder.ts';
import {type ProviderError, type Refused, refusedInStream} from './provider-error.ts';

interface OpenItem {
  readonly block: BlockBuilder;
  /** The part that is growing in the item. Parts of a text are joined directly, and parts of a summary are paragraphs. */
  part: number;
}

/**
 * Reads the event stream of OpenAI's Responses API, and whole responses from servers that do not stream. Skips unknown
 * events and items, because the API often adds some. Reasoning becomes a thinking block with the text that people may
 * read, followed by the item that weft sends back.
 */
export class ResponsesDecoder extends Decoder {
  #calls = 0;
  /** The model's text if it declines. */
  #refusal = '';
  readonly #open = new Map<number, OpenItem>();
  /** The output index of each item, by its ids. Some gateways give items no index, or all of them the same one. */
  readonly #indexes = new Map<string, number>();
  #nextIndex = 0;
  /** Whether an item came as an event. Some gateways send only the final event, which has all items. */
  #items: 'none' | 'some' = 'none';

  override take(payload: string, out: ModelEvent[]): ProviderError | Refused | undefined {
    return payload.trim() === '[DONE]' ? undefined : super.take(payload, out);
  }

  /** A response without a final event was cut off. */
  override end(): void {}

  override endAsIs(out: ModelEvent[]): void {
    this.#finish({}, out);
  }

  protected override takeJson(event: Json, out: ModelEvent[]): ProviderError | Refused | undefined {
    if (!isJsonObject(event)) return undefined;
    const at = this.#indexOf(event);
    switch (event['type']) {
      case 'response.created':
        this.start(objectOf(event['response']), out);
        return undefined;
      case 'response.output_item.added':
        this.#beginCall(at, objectOf(event['item']), out);
        return undefined;
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#addText(
          {at, kind: 'text', part: countOf(event['content_index']) ?? 0, text: textOf(event['delta'])},
          out,
        );
        return undefined;
      case 'response.reasoning_summary_text.delta':
        this.#addText(
          {at, kind: 'thinking', part: countOf(event['summary_index']) ?? 0, text: textOf(event['delta'])},
          out,
        );
        return undefined;
      case 'response.reasoning_text.delta':
        this.#addText(
          {at, kind: 'thinking', part: countOf(event['content_index']) ?? 0, text: textOf(event['delta'])},
          out,
        );
        return undefined;
      case 'response.output_text.annotation.added':
        this.#cite(at, event['annotation']);
        return undefined;
      case 'response.function_call_arguments.delta':
        this.#open.get(at)?.block.add({kind: 'tool-input', json: textOf(event['delta'])}, out);
        return undefined;
      case 'response.custom_tool_call_input.delta':
        this.#addInput(at, textOf(event['delta']), out);
        return undefined;
      case 'response.output_item.done':
        this.#finishItem(at, objectOf(event['item']), out);
        return undefined;
      case 'response.completed':
      case 'response.incomplete':
        this.#finish(objectOf(event['response']), out);
        return undefined;
      case 'response.failed':
        return this.#failure(objectOf(event['response']));
      case 'error':
        return refusedInStream(isJsonObject(event['error']) ? event : {error: event});
      case undefined:
        return this.#takeWhole(event, out);
      default:
        return undefined;
    }
  }

  /** Returns the output index of an event's item. An event without index and ids is about the latest item. */
  #indexOf(event: JsonObject): number {
    const item = objectOf(event['item']);
    const ids = [event['item_id'], item['id'], item['call_id']].map(textOf).filter(id => id !== '');
    const known = ids.map(id => this.#indexes.get(id)).find(index => index !== undefined);
    if (known !== undefined) return known;
    const begins = event['type'] === 'response.output_item.added';
    const given = countOf(event['output_index']);
    const latest = [...this.#open.keys()].at(-1);
    const at =
      given === undefined
        ? begins || ids.length > 0 || latest === undefined
          ? this.#nextIndex
          : latest
        : begins && this.#open.has(given)
          ? this.#nextIndex
          : given;
    if (event['item'] === undefined && event['item_id'] === undefined) return at;
    for (const id of ids) this.#indexes.set(id, at);
    this.#nextIndex = Math.max(this.#nextIndex, at + 1);
    return at;
  }

  /** Reads a response that came as a whole. */
  #takeWhole(response: JsonObject, out: ModelEvent[]): ProviderError | Refused | undefined {
    if (isJsonObject(response['error']) || textOf(response['error']) !== '') return this.#failure(response);
    if (response['object'] !== 'response') return undefined;
    this.#finish(response, out);
    return undefined;
  }

  #failure(response: JsonObject): Refused {
    return refusedInStream({error: response['error'] ?? {}});
  }

  #beginCall(at: number, item: JsonObject, out: ModelEvent[]): void {
    this.start({}, out);
    const {type} = item;
    if ((type !== 'function_call' && type !== 'custom_tool_call') || this.#open.has(at)) return;
    const id = actionId(textOf(item['call_id']) || textOf(item['id']) || `call_${this.options.newId()}`);
    const block = this.begin({kind: 'tool-call', id, name: textOf(item['name'])}, out);
    this.#open.set(at, {block, part: 0});
  }

  /** Adds a part of an input that is a text. As JSON, it is an object with the field `input`. */
  #addInput(at: number, text: string, out: ModelEvent[]): void {
    const open = this.#open.get(at);
    if (open === undefined || text === '') return;
    const begin = open.block.text === '' ? '{"input":"' : '';
    open.block.add({kind: 'tool-input', json: begin + JSON.stringify(text).slice(1, -1)}, out);
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
    this.#items = 'some';
    this.start({}, out);
    let open = this.#open.get(at);
    if (open !== undefined && open.block.start.kind !== kind) return;
    if (open === undefined) {
      open = {block: this.begin({kind}, out), part};
      this.#open.set(at, open);
    }
    const paragraph = kind === 'thinking' && open.part !== part && open.block.text !== '';
    open.part = part;
    open.block.add({kind, text: paragraph ? `\n\n${text}` : text}, out);
  }

  #cite(at: number, annotation: Json | undefined): void {
    if (isJsonObject(annotation) && annotation['type'] === 'url_citation') this.#open.get(at)?.block.cite(annotation);
  }

  /** Finishes an item. Takes the parts that were not streamed from the complete item. */
  #finishItem(at: number, item: JsonObject, out: ModelEvent[]): void {
    this.#items = 'some';
    this.start({}, out);
    switch (item['type']) {
      case 'message':
        this.#refusal += listOf(item['content'])
          .map(part => textOf(objectOf(part)['refusal']))
          .join('');
        if (!this.#open.has(at)) this.#addParts(at, 'text', item['content'], out);
        break;
      case 'function_call':
        this.#beginCall(at, item, out);
        if (this.#open.get(at)?.block.text === '') {
          this.#open.get(at)?.block.add({kind: 'tool-input', json: inputText(item['arguments'])}, out);
        }
        break;
      case 'custom_tool_call':
        this.#beginCall(at, item, out);
        if (this.#open.get(at)?.block.text === '') this.#addInput(at, textOf(item['input']), out);
        if (this.#open.get(at)?.block.text !== '') this.#open.get(at)?.block.add({kind: 'tool-input', json: '"}'}, out);
        break;
      case 'reasoning':
        if (!this.#open.has(at)) this.#addParts(at, 'thinking', item['summary'], out);
        break;
      default:
    }
    this.#close(at, out);
    const {type, ...data} = item;
    if (isKept(item)) this.begin({kind: 'other', type: textOf(type), data}, out).finish(out);
  }

  #addParts(at: number, kind: 'text' | 'thinking', parts: Json | undefined, out: ModelEvent[]): void {
    for (const [part, content] of listOf(parts).entries()) {
      if (!isJsonObject(content)) continue;
      this.#addText({at, kind, part, text: textOf(content['text']) || textOf(content['refusal'])}, out);
      for (const annotation of listOf(content['annotations'])) this.#cite(at, annotation);
    }
  }

  #close(at: number, out: ModelEvent[]): void {
    if (this.#open.get(at)?.block.finish(out).kind === 'tool-call') this.#calls++;
    this.#open.delete(at);
  }

  #finish(response: JsonObject, out: ModelEvent[]): void {
    this.start(response, out);
    const items = this.#items === 'none' ? listOf(response['output']) : [];
    for (const [at, item] of items.entries()) if (isJsonObject(item)) this.#finishItem(at, item, out);
    for (const at of this.#open.keys()) this.#close(at, out);
    this.usage = readUsage(response['usage']);
    this.reportedUsd = reportedCost(response['usage']) ?? this.reportedUsd;
    const reason = textOf(objectOf(response['incomplete_details'])['reason']);
    const stop = this.#refusal !== '' && this.#calls === 0 ? 'refusal' : readStop(reason, this.#calls);
    this.finish(stop, out, stop === 'refusal' ? this.#refusal || reason : undefined);
  }
}

/**
 * True for items that weft sends back unchanged. Reasoning without its encrypted text would have to be stored at
 * OpenAI, and weft stores nothing there.
 */
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

function readUsage(usage: Json | undefined): Usage {
  if (!isJsonObject(usage)) return noUsage;
  const tokens = {input: countOf(usage['input_tokens']) ?? 0, output: countOf(usage['output_tokens']) ?? 0};
  return usageOf(tokens, usage['input_tokens_details']);
}
