import {isJsonObject, type Json, type JsonObject, parseJson} from '../base/json.ts';
import {callExtrasType, type StopReason} from '../domain/conversation.ts';
import {actionId, messageId} from '../domain/ids.ts';
import type {ModelEvent} from '../domain/model-stream.ts';
import {noUsage, type Usage} from '../domain/usage.ts';
import {BlockBuilder} from './block-builder.ts';
import {connectionLost, type Endpoint, type ProviderError, readErrorBody, errorFromRefusal} from './provider-error.ts';
import type {Decoder} from './send-request.ts';

/**
 * Reads chat completion chunks, and whole completions from servers that do not stream. Text and thinking alternate as blocks;
 * tool calls may grow side by side and are finished together at the end.
 */
export class OpenAiDecoder implements Decoder {
  finished = false;
  readonly #endpoint: Endpoint;
  readonly #model: string;
  readonly #newId: () => string;
  #started = false;
  #blocks = 0;
  /** The text or thinking block that is growing. */
  #current: BlockBuilder | undefined;
  readonly #calls: ToolCallAssembly;
  #reason: string | undefined;
  #usage: Usage = noUsage;

  constructor({endpoint, model, newId}: {endpoint: Endpoint; model: string; newId: () => string}) {
    this.#endpoint = endpoint;
    this.#model = model;
    this.#newId = newId;
    this.#calls = new ToolCallAssembly({newId, nextIndex: () => this.#blocks++});
  }

  take(payload: string, out: ModelEvent[]): ProviderError | undefined {
    if (payload.trim() === '[DONE]') {
      this.#finish(out);
      return undefined;
    }
    const parsed = parseJson(payload);
    if (parsed.tag === 'failed') return connectionLost(`${this.#endpoint.name} sent an event that is not JSON.`);
    // Google sends an error as a list of one.
    const chunk = Array.isArray(parsed.value) ? parsed.value[0] : parsed.value;
    if (!isJsonObject(chunk)) return undefined;
    if (chunk['error'] !== undefined && chunk['error'] !== null)
      return readStreamError(chunk, this.#endpoint, this.#model);
    this.#start(chunk, out);
    this.#usage = readUsage(chunk['usage']) ?? this.#usage;
    const choice = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
    if (!isJsonObject(choice)) return undefined;
    const delta = choice['delta'] ?? choice['message'];
    if (isJsonObject(delta)) this.#addDelta(delta, out);
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '') this.#reason = reason;
    return spoiltCall(this.#reason, this.#endpoint);
  }

  end(out: ModelEvent[]): void {
    // Not every server sends the end mark, but without a reason to stop the answer was cut off.
    if (this.#reason !== undefined) this.#finish(out);
  }

  #start(chunk: JsonObject, out: ModelEvent[]): void {
    if (this.#started) return;
    this.#started = true;
    const id = messageId(textIn(chunk, 'id') || `msg_${this.#newId()}`);
    out.push({event: 'message-started', id, model: textIn(chunk, 'model') || this.#model, usage: noUsage});
  }

  #addDelta(delta: JsonObject, out: ModelEvent[]): void {
    this.#addText('thinking', textIn(delta, 'reasoning_content') || textIn(delta, 'reasoning'), out);
    this.#addText('text', textIn(delta, 'content') || textIn(delta, 'refusal'), out);
    const calls = delta['tool_calls'];
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

  #addText(kind: 'text' | 'thinking', text: string, out: ModelEvent[]): void {
    if (text === '') return;
    if (this.#current?.start.kind !== kind) {
      this.#finishCurrent(out);
      this.#current = new BlockBuilder(this.#blocks++, {kind}, out);
    }
    this.#current.add({kind, text}, out);
  }

  #finishCurrent(out: ModelEvent[]): void {
    this.#current?.finish(out);
    this.#current = undefined;
  }

  #finish(out: ModelEvent[]): void {
    this.#start({}, out);
    this.#finishCurrent(out);
    const calls = this.#calls.finish(out);
    const extras = this.#calls.extras();
    if (extras.some(extra => extra !== null)) {
      const block = {kind: 'other', type: callExtrasType, data: {calls: extras}} as const;
      new BlockBuilder(this.#blocks++, block, out).finish(out);
    }
    out.push({event: 'message-finished', stop: readStop(this.#reason, calls), usage: this.#usage});
    this.finished = true;
  }
}

/** What an error in the middle of a stream means, which comes as `{error: {code, message}}`. */
export function readStreamError(chunk: JsonObject, endpoint: Endpoint, model: string): ProviderError {
  const {code, message} = readErrorBody(chunk, '');
  const error = isJsonObject(chunk['error']) ? chunk['error'] : {};
  const given = [error['code'], error['status'], chunk['code']].find(value => typeof value === 'number');
  const refused = /invalid_request|invalid_prompt|context_length|exceed_context|not_found|insufficient_quota/u.test(
    code,
  );
  const status = typeof given === 'number' && given >= 400 && given < 600 ? given : refused ? 400 : 500;
  return errorFromRefusal({status, header: () => null, code, message}, endpoint, model);
}

/** Gemini stops where it wrote a call that is none; asked again, it mostly writes a proper one. */
function spoiltCall(reason: string | undefined, {name}: Endpoint): ProviderError | undefined {
  if (!/MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL/iu.test(reason ?? '')) return undefined;
  return {
    kind: 'passing',
    status: 0,
    message: `${name} broke off: the model wrote a tool call that cannot be read (${reason}).`,
    fix: 'Rephrase the prompt, or use another model.',
    retryAfterMs: 0,
    patience: 'short',
  };
}

function readStop(reason: string | undefined, calls: number): StopReason {
  // Gemini adds why: `content_filter: PROHIBITED_CONTENT`.
  switch (reason?.replace(/:.*$/su, '').toLowerCase()) {
    case 'length':
      return 'max-tokens';
    case 'content_filter':
    case 'safety':
      return 'refusal';
    default:
      // Several servers say "stop" behind tool calls, or "tool_calls" without any.
      return calls > 0 ? 'tool-use' : 'end-turn';
  }
}

/**
 * `prompt_tokens` counts cached tokens too; weft counts each token once. Some (Gemini) count what the model thought in the total alone,
 * and it is paid as what comes out.
 */
function readUsage(usage: Json | undefined): Usage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const details = isJsonObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  const prompt = countIn(usage, 'prompt_tokens');
  const cacheReadTokens = Math.min(countIn(details, 'cached_tokens'), prompt);
  const cacheWriteTokens = Math.min(countIn(details, 'cache_write_tokens'), prompt - cacheReadTokens);
  return {
    inputTokens: prompt - cacheReadTokens - cacheWriteTokens,
    outputTokens: Math.max(countIn(usage, 'completion_tokens'), countIn(usage, 'total_tokens') - prompt),
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

/**
 * Puts the tool calls of chat completion deltas together. Servers differ: some number the calls, some give every call the
 * same number, some leave out numbers or ids, some repeat the name in every delta, some send a call whole.
 */
class ToolCallAssembly {
  readonly #newId: () => string;
  readonly #nextIndex: () => number;
  readonly #calls: Call[] = [];

  /** `nextIndex` gives the next free block index of the message. */
  constructor({newId, nextIndex}: {newId: () => string; nextIndex: () => number}) {
    this.#newId = newId;
    this.#nextIndex = nextIndex;
  }

  add(delta: JsonObject, out: ModelEvent[]): void {
    const about = isJsonObject(delta['function']) ? delta['function'] : {};
    const id = typeof delta['id'] === 'string' ? delta['id'] : '';
    const name = typeof about['name'] === 'string' ? about['name'] : '';
    const number = typeof delta['index'] === 'number' ? delta['index'] : undefined;
    const call = this.#find({number, id, name}) ?? this.#begin(number);
    if (call.id === '') call.id = id;
    if (call.name === '') call.name = name;
    call.unsent += inputText(about['arguments']);
    this.addExtra(delta['extra_content'], call);
    this.#send(call, out);
  }

  /** Keeps what the server wants back with a call, the last one unless another is named. */
  addExtra(extra: Json | undefined, call = this.#calls.at(-1)): void {
    if (call !== undefined && isJsonObject(extra)) call.extra = extra;
  }

  /** What came with each call; null where nothing did. */
  extras(): readonly (JsonObject | null)[] {
    return this.#calls.map(({extra}) => extra ?? null);
  }

  /** Finishes all calls and says how many there are. A call that never got a name keeps none: it settles as an error. */
  finish(out: ModelEvent[]): number {
    for (const call of this.#calls) this.#block(call, out).finish(out);
    return this.#calls.length;
  }

  #find({number, id, name}: {number: number | undefined; id: string; name: string}): Call | undefined {
    const last = this.#calls.at(-1);
    if (number !== undefined) {
      const numbered = this.#calls.findLast(call => call.number === number);
      // The same number with another id: this server does not count.
      return id !== '' && numbered !== undefined && numbered.id !== '' && numbered.id !== id
        ? this.#calls.find(call => call.id === id)
        : numbered;
    }
    if (id !== '') return this.#calls.find(call => call.id === id);
    const anotherOne = last !== undefined && name !== '' && (name !== last.name || isWhole(last));
    return anotherOne ? undefined : last;
  }

  #begin(number: number | undefined): Call {
    const call: Call = {number, id: '', name: '', unsent: '', block: undefined, extra: undefined};
    this.#calls.push(call);
    return call;
  }

  /** A call is announced when its name is known; input that came before waits. */
  #send(call: Call, out: ModelEvent[]): void {
    if (call.block === undefined && call.name === '') return;
    this.#block(call, out);
  }

  #block(call: Call, out: ModelEvent[]): BlockBuilder {
    if (call.id === '') call.id = `call_${this.#newId()}`;
    call.block ??= new BlockBuilder(
      this.#nextIndex(),
      {kind: 'tool-call', id: actionId(call.id), name: call.name},
      out,
    );
    call.block.add({kind: 'tool-input', json: call.unsent}, out);
    call.unsent = '';
    return call.block;
  }
}

interface Call {
  readonly number: number | undefined;
  id: string;
  name: string;
  unsent: string;
  block: BlockBuilder | undefined;
  extra: JsonObject | undefined;
}

function inputText(given: Json | undefined): string {
  if (typeof given === 'string') return given;
  return isJsonObject(given) ? JSON.stringify(given) : '';
}

function isWhole(call: Call): boolean {
  const text = (call.block?.text ?? '') + call.unsent;
  return text !== '' && parseJson(text).tag === 'ok';
}
