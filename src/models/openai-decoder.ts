import {isJsonObject, parseJson, type Json, type JsonObject} from '../base/json.ts';
import type {StopReason} from '../domain/conversation.ts';
import {messageId} from '../domain/ids.ts';
import type {ModelEvent} from '../domain/model-stream.ts';
import {noUsage, type Usage} from '../domain/usage.ts';
import {BlockBuilder} from './block-builder.ts';
import {readBody, readRefusal, type Endpoint} from './read-trouble.ts';
import type {Decoder} from './send-once.ts';
import {ToolCallAssembly} from './tool-call-assembly.ts';
import {brokenOff, type Trouble} from './trouble.ts';

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

  take(payload: string, out: ModelEvent[]): Trouble | undefined {
    if (payload.trim() === '[DONE]') {
      this.#finish(out);
      return undefined;
    }
    const parsed = parseJson(payload);
    if (parsed.tag === 'failed') return brokenOff(`${this.#endpoint.name} sent an event that is not JSON.`);
    const chunk = parsed.value;
    if (!isJsonObject(chunk)) return undefined;
    if (chunk['error'] !== undefined && chunk['error'] !== null) return this.#readError(chunk);
    this.#start(chunk, out);
    this.#usage = readUsage(chunk['usage']) ?? this.#usage;
    const choice = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
    if (!isJsonObject(choice)) return undefined;
    const said = choice['delta'] ?? choice['message'];
    if (isJsonObject(said)) this.#add(said, out);
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '') this.#reason = reason;
    return undefined;
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

  #add(said: JsonObject, out: ModelEvent[]): void {
    this.#addText('thinking', textIn(said, 'reasoning_content') || textIn(said, 'reasoning'), out);
    this.#addText('text', textIn(said, 'content') || textIn(said, 'refusal'), out);
    const calls = said['tool_calls'];
    if (!Array.isArray(calls)) return;
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
    out.push({event: 'message-finished', stop: readStop(this.#reason, calls), usage: this.#usage});
    this.finished = true;
  }

  #readError(chunk: JsonObject): Trouble {
    const {code, said} = readBody(chunk, '');
    const error = isJsonObject(chunk['error']) ? chunk['error'] : {};
    const given = [error['code'], error['status'], chunk['code']].find(value => typeof value === 'number');
    const refused = /invalid_request|context_length|exceed_context|not_found|insufficient_quota/u.test(code);
    const status = typeof given === 'number' && given >= 400 && given < 600 ? given : refused ? 400 : 500;
    return readRefusal({status, header: () => null, code, said}, this.#endpoint, this.#model);
  }
}

function readStop(reason: string | undefined, calls: number): StopReason {
  switch (reason) {
    case 'length':
      return 'max-tokens';
    case 'content_filter':
      return 'refusal';
    default:
      // Several servers say "stop" behind tool calls, or "tool_calls" without any.
      return calls > 0 ? 'tool-use' : 'end-turn';
  }
}

/** `prompt_tokens` counts cached tokens too; weft counts each token once. */
function readUsage(usage: Json | undefined): Usage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const details = isJsonObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  const prompt = countIn(usage, 'prompt_tokens');
  const cacheReadTokens = Math.min(countIn(details, 'cached_tokens'), prompt);
  const cacheWriteTokens = Math.min(countIn(details, 'cache_write_tokens'), prompt - cacheReadTokens);
  return {
    inputTokens: prompt - cacheReadTokens - cacheWriteTokens,
    outputTokens: countIn(usage, 'completion_tokens'),
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
