import {isJsonObject, type Json, type JsonObject, listOf, objectOf, parseJson, textOf} from '../base/json.ts';
import {callExtrasType, type StopReason, thinkingFields, type ThinkingSource} from '../domain/conversation.ts';
import {actionId} from '../domain/ids.ts';
import type {BlockStart, ModelEvent} from '../domain/model-stream.ts';
import type {Usage} from '../domain/usage.ts';
import type {BlockBuilder} from './block-builder.ts';
import {hostOf, isGemini} from './provider-rows.ts';
import {countOf, Decoder, type DecoderOptions, dollarsOf, inputText, reportedCost, usageOf} from './decoder.ts';
import {
  connectionLost,
  type Endpoint,
  type ProviderError,
  type Refused,
  refusedInStream,
  briefError,
} from './provider-error.ts';

/**
 * Reads chat completion chunks, and whole completions from servers that do not stream. Text and thinking alternate as
 * blocks. Several tool calls may grow at the same time and are finished together at the end.
 */
export class OpenAiDecoder extends Decoder {
  /** The text or thinking block that is growing. */
  #current: BlockBuilder | undefined;
  readonly #calls: ToolCallAssembly;
  #reason: string | undefined;
  #hasText = false;
  /** The model's text if it declines. */
  #refusal = '';
  /** The field of the thinking that is growing, and the items of `reasoning_details` that no block has yet. */
  #field: ThinkingSource['field'] = 'reasoning_content';
  #details: readonly JsonObject[] = [];
  /** Whether thinking came: none, only an empty field, or text. */
  #thinking: 'none' | 'empty' | 'some' = 'none';

  constructor(options: DecoderOptions) {
    super(options);
    this.#calls = new ToolCallAssembly({newId: options.newId, begin: (block, out) => this.begin(block, out)});
  }

  override take(payload: string, out: ModelEvent[]): ProviderError | Refused | undefined {
    if (payload.trim() !== '[DONE]') return super.take(payload, out);
    if (this.#isEmpty && isGemini(this.options.endpoint)) return emptyAnswer(this.options.endpoint);
    this.#finish(out);
    return undefined;
  }

  protected override takeJson(payload: Json, out: ModelEvent[]): ProviderError | Refused | undefined {
    const {endpoint} = this.options;
    // Google sends an error as a list with one item.
    const chunk = Array.isArray(payload) ? payload[0] : payload;
    if (!isJsonObject(chunk)) return undefined;
    if (chunk['error'] !== undefined && chunk['error'] !== null) return refusedInStream(chunk);
    this.start(chunk, out);
    const [choice] = listOf(chunk['choices']);
    // Moonshot sends the usage inside the choice.
    const usage = chunk['usage'] ?? objectOf(choice)['usage'];
    this.usage = readUsage(usage) ?? this.usage;
    this.reportedUsd = reportedCost(usage) ?? gatewayCost(chunk, objectOf(choice)) ?? this.reportedUsd;
    if (!isJsonObject(choice)) return undefined;
    this.#addDelta(objectOf(choice['delta'] ?? choice['message']), out);
    this.#reason = textOf(choice['finish_reason']) || this.#reason;
    const broken = objectOf(choice['error']);
    if (Object.keys(broken).length > 0) return refusedInStream({error: broken});
    return spoiltCall(this.#reason, endpoint) ?? brokenAnswer(this.#reason, endpoint);
  }

  /** Only the usage and the end mark follow the reason. */
  override get hasEnd(): boolean {
    return this.finished || this.#reason !== undefined;
  }

  override end(out: ModelEvent[]): void {
    // Not every server sends the end mark, but an answer without a stop reason was cut off. Complete calls can run.
    if (this.#reason !== undefined || this.#calls.areWhole) this.#finish(out);
  }

  override endAsIs(out: ModelEvent[]): void {
    this.#finish(out);
  }

  /** True if only thinking came, although the model ended normally. */
  get #isEmpty(): boolean {
    return !this.#hasText && this.#calls.isEmpty && readStop(this.#reason, 0) === 'end-turn';
  }

  #addDelta(delta: JsonObject, out: ModelEvent[]): void {
    this.#addThinking(delta, out);
    for (const part of contentParts(delta['content'])) this.#addText(part.kind, part.text, out);
    this.#refusal += textOf(delta['refusal']);
    this.#addText('text', textOf(delta['refusal']), out);
    // Old servers send their only call in a field of its own.
    const legacy = delta['function_call'];
    const calls = delta['tool_calls'] ?? (isJsonObject(legacy) ? [{function: legacy}] : undefined);
    if (!Array.isArray(calls)) {
      this.#calls.addExtra(delta['extra_content']);
      return;
    }
    for (const call of calls) {
      if (!isJsonObject(call)) continue;
      this.#finishCurrent(out);
      this.#calls.add(call, out);
    }
  }

  /** Some servers send the same thinking in two fields. */
  #addThinking(delta: JsonObject, out: ModelEvent[]): void {
    const details = listOf(delta['reasoning_details']).filter(isJsonObject);
    this.#details = joinedDetails(this.#details, details);
    const field = thinkingFields.find(each => textOf(delta[each]) !== '');
    const empty = this.#thinking === 'none' ? thinkingFields.find(each => delta[each] === '') : undefined;
    this.#field = field ?? empty ?? this.#field;
    if (field !== undefined || details.length > 0) this.#thinking = 'some';
    else if (empty !== undefined) this.#thinking = 'empty';
    const text = field === undefined ? details.map(detailText).join('') : textOf(delta[field]);
    this.#addText('thinking', text, out);
  }

  #addText(kind: 'text' | 'thinking', text: string, out: ModelEvent[]): void {
    if (text === '') return;
    if (kind === 'text') this.#hasText = true;
    if (this.#current?.start.kind !== kind) {
      this.#finishCurrent(out);
      this.#current = this.begin({kind}, out);
    }
    this.#current.add({kind, text}, out);
  }

  #finishCurrent(out: ModelEvent[]): void {
    if (this.#current?.start.kind === 'thinking') this.#current.source = this.#takeSource();
    this.#current?.finish(out);
    this.#current = undefined;
  }

  #takeSource(): ThinkingSource {
    const {endpoint, model} = this.options;
    const details = this.#details;
    this.#details = [];
    return {
      host: hostOf(endpoint.baseUrl),
      model,
      field: details.length > 0 ? 'reasoning_details' : this.#field,
      details,
    };
  }

  #finish(out: ModelEvent[]): void {
    this.start({}, out);
    this.#finishCurrent(out);
    const calls = this.#calls.finish(out);
    if (this.#details.length > 0 || (this.#thinking === 'empty' && this.options.emptyThinking === 'kept')) {
      // Encrypted thinking that came with the calls, or none.
      const block = this.begin({kind: 'thinking'}, out);
      block.source = this.#takeSource();
      block.finish(out);
    }
    const extras = this.#calls.extras();
    if (extras.some(extra => extra !== null)) {
      this.begin({kind: 'other', type: callExtrasType, data: {calls: extras}}, out).finish(out);
    }
    const stop = this.#refusal !== '' && calls === 0 ? 'refusal' : readStop(this.#reason, calls);
    this.finish(stop, out, stop === 'refusal' ? this.#refusal || this.#reason : undefined);
  }
}

/** Returns the error for a Gemini answer that stopped at a malformed tool call. A retry usually yields a valid call. */
function spoiltCall(reason: string | undefined, {name}: Endpoint): ProviderError | undefined {
  if (!/MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL/iu.test(reason ?? '')) return undefined;
  return briefError(
    `${name} broke off: the model wrote a tool call that cannot be read (${reason}).`,
    'Rephrase the prompt, or use another model.',
  );
}

interface ContentPart {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
}

/** Mistral sends lists of texts and thinking. */
function contentParts(content: Json | undefined, kind: ContentPart['kind'] = 'text'): readonly ContentPart[] {
  if (typeof content === 'string') return [{kind, text: content}];
  return listOf(content)
    .map(objectOf)
    .flatMap(part =>
      part['type'] === 'thinking' ? contentParts(part['thinking'], 'thinking') : [{kind, text: textOf(part['text'])}],
    );
}

/** Returns the part of an item of `reasoning_details` that people can read. */
const detailText = (item: JsonObject): string => textOf(item['text']) || textOf(item['summary']);

/** Joins the items of `reasoning_details`. Pieces of the same item have the same index and type. */
function joinedDetails(before: readonly JsonObject[], more: readonly JsonObject[]): readonly JsonObject[] {
  const items = [...before];
  for (const piece of more) {
    const at = items.findLastIndex(item => item['type'] === piece['type'] && item['index'] === piece['index']);
    const item = piece['index'] === undefined ? undefined : items[at];
    if (item === undefined) items.push(piece);
    else items[at] = joinedItem(item, piece);
  }
  return items;
}

const joinedItem = (item: JsonObject, piece: JsonObject): JsonObject => ({
  ...item,
  ...Object.fromEntries(
    Object.entries(piece).map(([key, value]) => {
      const grows = key === 'text' || key === 'summary' || key === 'data';
      return [key, grows ? textOf(item[key]) + textOf(value) : (value ?? item[key] ?? null)];
    }),
  ),
});

/** Gemini sometimes thinks and then writes no answer. */
const emptyAnswer = ({name}: Endpoint): ProviderError =>
  briefError(`${name} sent an empty answer.`, 'Try again, or use another model.');

/** Returns the error of a server that reports it as a stop reason. */
function brokenAnswer(reason: string | undefined, {name}: Endpoint): ProviderError | undefined {
  return /^(?:error|network_error|insufficient_system_resource|abort(?:ed)?|engine_overloaded)$/iu.test(reason ?? '')
    ? connectionLost(`${name} broke off its answer (${reason}).`)
    : undefined;
}

function readStop(reason: string | undefined, calls: number): StopReason {
  // Gemini adds the cause: `content_filter: PROHIBITED_CONTENT`.
  switch (reason?.replace(/:.*$/su, '').toLowerCase()) {
    case 'length':
    case 'max_tokens':
    case 'model_length':
      return 'max-tokens';
    case 'model_context_window_exceeded':
      return 'context-full';
    case 'content_filter':
    case 'safety':
    case 'recitation':
    case 'prohibited_content':
    case 'blocklist':
    case 'spii':
    case 'image_safety':
    case 'sensitive':
      return 'refusal';
    default:
      // Several servers send "stop" after tool calls, or "tool_calls" without any.
      return calls > 0 ? 'tool-use' : 'end-turn';
  }
}

/** Returns the cost in US dollars that Vercel's gateway adds to a message. */
function gatewayCost(chunk: JsonObject, choice: JsonObject): number | undefined {
  const holders = [objectOf(choice['delta']), objectOf(choice['message']), choice, chunk];
  const metadata = holders.map(holder => holder['provider_metadata'] ?? holder['providerMetadata']).find(isJsonObject);
  return metadata === undefined ? undefined : dollarsOf(objectOf(metadata['gateway'])['cost']);
}

/**
 * Reads the usage. `prompt_tokens` includes cached tokens, but weft counts each token once. Some servers (Gemini) count
 * thinking only in the total. It is billed as output.
 */
function readUsage(usage: Json | undefined): Usage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const input = countOf(usage['prompt_tokens']) ?? 0;
  const output = Math.max(countOf(usage['completion_tokens']) ?? 0, (countOf(usage['total_tokens']) ?? 0) - input);
  return usageOf({input, output}, usage['prompt_tokens_details']);
}

/**
 * Joins the tool calls of chat completion deltas. Servers differ: some number the calls, some give every call the same
 * number, some omit numbers or IDs. Some repeat the name in every delta, and some send a whole call at once.
 */
class ToolCallAssembly {
  readonly #newId: () => string;
  readonly #begin: Begin;
  readonly #calls: Call[] = [];

  constructor({newId, begin}: {readonly newId: () => string; readonly begin: Begin}) {
    this.#newId = newId;
    this.#begin = begin;
  }

  add(delta: JsonObject, out: ModelEvent[]): void {
    const about = objectOf(delta['function']);
    const id = textOf(delta['id']);
    const name = textOf(about['name']);
    const number = typeof delta['index'] === 'number' ? delta['index'] : undefined;
    const call = this.#find({number, id, name}) ?? this.#add(number);
    if (call.id === '') call.id = id;
    if (call.name === '') call.name = name;
    call.unsent += inputText(about['arguments']);
    this.addExtra(delta['extra_content'], call);
    // A call begins when its name is known. Earlier input waits.
    if (call.block !== undefined || call.name !== '') this.#block(call, out);
  }

  /** Stores the extra content that the server wants back with a call, by default the last one. */
  addExtra(extra: Json | undefined, call = this.#calls.at(-1)): void {
    if (call !== undefined && isJsonObject(extra)) call.extra = extra;
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  /** True if there are calls and all of them are complete. */
  get areWhole(): boolean {
    return this.#calls.length > 0 && this.#calls.every(isWhole);
  }

  /** The extra content of each call. Null if there was none. */
  extras(): readonly (JsonObject | null)[] {
    return this.#calls.map(({extra}) => extra ?? null);
  }

  /** Finishes all calls and returns their number. A call that never got a name settles as an error. */
  finish(out: ModelEvent[]): number {
    for (const call of this.#calls) this.#block(call, out).finish(out);
    return this.#calls.length;
  }

  #find({number, id, name}: {number: number | undefined; id: string; name: string}): Call | undefined {
    const last = this.#calls.at(-1);
    if (number !== undefined) {
      const numbered = this.#calls.findLast(call => call.number === number);
      // The same number has another id, so this server does not number its calls.
      return id !== '' && numbered !== undefined && numbered.id !== '' && numbered.id !== id
        ? this.#calls.find(call => call.id === id)
        : numbered;
    }
    if (id !== '') return this.#calls.find(call => call.id === id);
    const anotherOne = last !== undefined && name !== '' && (name !== last.name || isWhole(last));
    return anotherOne ? undefined : last;
  }

  #add(number: number | undefined): Call {
    const call: Call = {number, id: '', name: '', unsent: '', block: undefined, extra: undefined};
    this.#calls.push(call);
    return call;
  }

  #block(call: Call, out: ModelEvent[]): BlockBuilder {
    if (call.id === '') call.id = `call_${this.#newId()}`;
    call.block ??= this.#begin({kind: 'tool-call', id: actionId(call.id), name: call.name}, out);
    call.block.add({kind: 'tool-input', json: call.unsent}, out);
    call.unsent = '';
    return call.block;
  }
}

type Begin = (block: BlockStart, out: ModelEvent[]) => BlockBuilder;

interface Call {
  readonly number: number | undefined;
  id: string;
  name: string;
  unsent: string;
  block: BlockBuilder | undefined;
  extra: JsonObject | undefined;
}

function isWhole(call: Call): boolean {
  const text = (call.block?.text ?? '') + call.unsent;
  return text !== '' && parseJson(text).tag === 'ok';
}
