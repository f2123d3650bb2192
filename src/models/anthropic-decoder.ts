import {isJsonObject, type Json, type JsonObject, listOf, objectOf, textOf} from '../base/json.ts';
import type {OtherBlock, StopReason} from '../domain/conversation.ts';
import {actionId} from '../domain/ids.ts';
import type {BlockDelta, BlockStart, ModelEvent} from '../domain/model-stream.ts';
import type {Usage} from '../domain/usage.ts';
import type {BlockBuilder} from './block-builder.ts';
import {countOf, Decoder, reportedCost} from './decoder.ts';
import {type ProviderError, type Refused, refusedInStream} from './provider-error.ts';

/** Reads the event stream of the Messages API. Skips unknown events, and keeps unknown blocks unchanged. */
export class AnthropicDecoder extends Decoder {
  #calls = 0;
  readonly #open = new Map<number, BlockBuilder>();
  #stop: StopReason | undefined;
  #explanation = '';

  protected override takeJson(event: Json, out: ModelEvent[]): ProviderError | Refused | undefined {
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
      case undefined:
        return isJsonObject(event['error']) || textOf(event['error']) !== '' ? refusedInStream(event) : undefined;
      case 'message':
        this.#takeMessage(event, out);
        return undefined;
      case 'message_start':
        this.#startMessage(objectOf(event['message']), out);
        return undefined;
      case 'message_delta':
        this.usage = readUsage(event['usage'], this.usage);
        this.reportedUsd = reportedCost(event['usage']) ?? this.reportedUsd;
        this.#readEnd(objectOf(event['delta']));
        return undefined;
      case 'message_stop':
        this.#finish(out);
        return undefined;
      case 'error':
        return refusedInStream(event);
      default:
        return undefined;
    }
  }

  /** Only the closing event is missing. */
  override get hasEnd(): boolean {
    return this.finished || (this.#stop !== undefined && this.#open.size === 0);
  }

  override end(out: ModelEvent[]): void {
    if (this.hasEnd) this.#finish(out);
  }

  override endAsIs(out: ModelEvent[]): void {
    this.#finish(out);
  }

  #readEnd(delta: JsonObject): void {
    this.#stop = readStop(delta['stop_reason'], this.#calls) ?? this.#stop;
    const {explanation, category} = objectOf(delta['stop_details']);
    this.#explanation = textOf(explanation) || textOf(category) || this.#explanation;
  }

  /** Takes an answer in one piece, as gateways send it that ignore `stream`. */
  #takeMessage(message: JsonObject, out: ModelEvent[]): void {
    this.#startMessage(message, out);
    this.reportedUsd = reportedCost(message['usage']) ?? this.reportedUsd;
    for (const [index, block] of listOf(message['content']).entries()) {
      this.#startBlock({index, content_block: block}, out);
      for (const citation of listOf(objectOf(block)['citations'])) {
        this.#addDelta({index, delta: {type: 'citations_delta', citation}}, out);
      }
      this.#finishBlock(index, out);
    }
    this.#readEnd(message);
    this.#finish(out);
  }

  #startMessage(message: JsonObject, out: ModelEvent[]): void {
    if (!this.started) this.usage = readUsage(message['usage'], this.usage);
    this.start(message, out);
  }

  #startBlock(event: JsonObject, out: ModelEvent[]): void {
    const content = objectOf(event['content_block']);
    const start = this.#readStart(content);
    if (start === undefined) return;
    this.start({}, out);
    this.#finishBlock(indexOf(event), out);
    const block = this.begin(start, out);
    this.#open.set(indexOf(event), block);
    // Blocks usually begin empty, but some servers send the first words, or all of an input, at once.
    for (const delta of startingDeltas(start, content)) block.add(delta, out);
  }

  #readStart(content: JsonObject): BlockStart | undefined {
    switch (content['type']) {
      case 'text':
        return {kind: 'text'};
      case 'thinking':
        return {kind: 'thinking'};
      case 'redacted_thinking':
        return {kind: 'sealed-thinking', data: textOf(content['data'])};
      case 'tool_use':
        return {
          kind: 'tool-call',
          id: actionId(textOf(content['id']) || `toolu_${this.options.newId()}`),
          name: textOf(content['name']),
        };
      default:
        return other(content);
    }
  }

  #addDelta(event: JsonObject, out: ModelEvent[]): void {
    const block = this.#open.get(indexOf(event));
    const {type, citation} = objectOf(event['delta']);
    if (type === 'citations_delta' && isJsonObject(citation) && typeof citation['type'] === 'string')
      block?.cite(citation);
    const delta = block?.start.kind === 'other' ? other(event['delta']) : readDelta(event['delta']);
    if (delta !== undefined) block?.add(delta, out);
  }

  #finishBlock(index: number, out: ModelEvent[]): void {
    if (this.#open.get(index)?.finish(out).kind === 'tool-call') this.#calls++;
    this.#open.delete(index);
  }

  #finish(out: ModelEvent[]): void {
    this.start({}, out);
    for (const index of this.#open.keys()) this.#finishBlock(index, out);
    this.finish(this.#stop ?? (this.#calls > 0 ? 'tool-use' : 'end-turn'), out, this.#explanation);
  }
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
      return {kind: 'text', text: textOf(delta['text'])};
    case 'input_json_delta':
      return {kind: 'tool-input', json: textOf(delta['partial_json'])};
    case 'thinking_delta':
      return {kind: 'thinking', text: textOf(delta['thinking'])};
    case 'signature_delta':
      return {kind: 'signature', signature: textOf(delta['signature'])};
    default:
      return undefined;
  }
}

function startingDeltas(start: BlockStart, content: JsonObject): readonly BlockDelta[] {
  if (start.kind === 'text') return [{kind: 'text', text: textOf(content['text'])}];
  if (start.kind === 'thinking') {
    return [
      {kind: 'thinking', text: textOf(content['thinking'])},
      {kind: 'signature', signature: textOf(content['signature'])},
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

/** The counts are cumulative: a new number replaces the earlier one. */
function readUsage(usage: Json | undefined, before: Usage): Usage {
  if (!isJsonObject(usage)) return before;
  return {
    inputTokens: countOf(usage['input_tokens']) ?? before.inputTokens,
    outputTokens: countOf(usage['output_tokens']) ?? before.outputTokens,
    cacheReadTokens: countOf(usage['cache_read_input_tokens']) ?? before.cacheReadTokens,
    cacheWriteTokens: countOf(usage['cache_creation_input_tokens']) ?? before.cacheWriteTokens,
  };
}

const indexOf = (event: JsonObject): number => (typeof event['index'] === 'number' ? event['index'] : -1);
