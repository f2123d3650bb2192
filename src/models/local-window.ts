import {isJsonObject, type Json, type JsonObject, listOf} from '../base/json.ts';
import {addressScope} from '../base/ip-address.ts';
import {estimateMessagesTokens, estimateTokens} from '../domain/compaction.ts';
import type {ModelPort, ModelRequest} from '../domain/model-stream.ts';
import type {Usage} from '../domain/usage.ts';
import {anthropicBase, openAiBase} from './base-url.ts';
import {type HttpFetch, readAnyJson} from './http-fetch.ts';

/** Milliseconds that weft waits for a server on the user's network to report how it loaded a model. */
const usualLimitMs = 500;
/** Below this many tokens, a window is small for an agent. The fix in the message sets it. */
const littleWindow = 32_768;

/** The context window of a model at its server. `not-loaded`: the server may load it with a smaller one. */
interface ServerWindow {
  readonly tokens: number;
  readonly state: 'loaded' | 'not-loaded';
  readonly server: ServerName;
}

const fixes = {
  Ollama: `Restart Ollama with OLLAMA_CONTEXT_LENGTH=${littleWindow}.`,
  'LM Studio': `Load the model again: lms load MODEL --context-length ${littleWindow}`,
  'llama.cpp': `Restart llama-server with -c ${littleWindow}.`,
  vLLM: `Restart vLLM with --max-model-len ${littleWindow}.`,
} as const;
type ServerName = keyof typeof fixes;

interface Server {
  readonly baseUrl: string;
  /** The server's program, if the user named it. */
  readonly title: string;
  readonly send: HttpFetch;
  readonly headers: Readonly<Record<string, string>>;
  /** The models whose window the user has set. */
  readonly set?: ReadonlySet<string>;
  readonly limitMs?: number;
}

/** True for an address of this machine or of a private network, where people run model servers of their own. */
export function isLocalAddress(baseUrl: string): boolean {
  const host = (URL.parse(baseUrl)?.hostname ?? '').replaceAll(/[[\]]/gu, '');
  if (host === 'localhost' || host === 'host.docker.internal' || host.endsWith('.local')) return true;
  const scope = addressScope(host);
  return scope === 'loopback' || scope === 'private';
}

/** The context windows of a server's models, which the server knows better than any table. */
export class LocalWindows {
  readonly #server: Server;
  readonly #known = new Map<string, ServerWindow | 'unknown'>();
  readonly #said = new Set<string>();

  constructor(server: Server) {
    this.#server = server;
  }

  /** Returns the window in tokens; 0 if it is unknown. */
  of(model: string): number {
    const known = this.#known.get(model);
    return known === undefined || known === 'unknown' ? 0 : known.tokens;
  }

  /** Asks the server, unless it has said how it loaded the model. An abort or a silent server is not an error. */
  async ask(model: string, signal: AbortSignal): Promise<void> {
    const known = this.#known.get(model);
    if (known === 'unknown' || known?.state === 'loaded' || this.#server.set?.has(model) === true) return;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.#server.limitMs ?? usualLimitMs)]);
    const found = await askServer(this.#server, model, limit);
    if (!signal.aborted) this.#known.set(model, found ?? 'unknown');
  }

  /** Returns the advice about a small window, once for each model; empty without one. */
  advice(model: string): string {
    const known = this.#known.get(model);
    if (known === undefined || known === 'unknown' || known.state === 'not-loaded') return '';
    if (known.tokens >= littleWindow || this.#said.has(model)) return '';
    this.#said.add(model);
    const tokens = known.tokens.toLocaleString('en-US');
    return `${known.server} runs ${model} with a context of ${tokens} tokens, which is little for an agent. ${fixes[known.server].replace('MODEL', model)}`;
  }

  /** Returns the advice about a prompt that the server silently cut, once for each model; empty without one. */
  cutAdvice({model, system, tools, messages}: ModelRequest, {inputTokens, cacheReadTokens}: Usage): string {
    const known = this.#known.get(model);
    const window = known === undefined || known === 'unknown' || known.state === 'not-loaded' ? 0 : known.tokens;
    const read = inputTokens + cacheReadTokens;
    const said = estimateMessagesTokens(messages);
    const sent = said + estimateTokens(system + JSON.stringify(tools));
    // A server may count no system prompt, and its template may leave out the tools. Neither cuts the prompt.
    const isCut = window === 0 ? read * 2 < said : sent > window && read * 2 < sent && read * 4 > window;
    if (read < smallWindow || sent < smallPrompt || !isCut || this.#said.has(`cut ${model}`)) return '';
    this.#said.add(`cut ${model}`);
    const fix =
      known === undefined || known === 'unknown' ? 'Start the server with a larger context.' : fixes[known.server];
    return `The server read only ${read.toLocaleString('en-US')} tokens of about ${sent.toLocaleString('en-US')}: it cut the prompt. ${fix.replace('MODEL', model)}`;
  }
}

/** The bounds of windows that servers have. */
const minWindow = 256;
const maxWindow = 100_000_000;
/** Fewer tokens of a prompt are a wrong count. */
const smallWindow = 1000;
/** Below this many tokens, an estimate says little. */
const smallPrompt = 3000;

/** Returns a port that asks before a request, and says once if the window is small. */
export const watchWindows = (windows: LocalWindows, port: ModelPort): ModelPort => ({
  ...port,
  async *stream(request, signal) {
    await windows.ask(request.model, signal);
    const text = windows.advice(request.model);
    if (text !== '') yield [{event: 'repaired', repair: 'small-window', text, leftOut: []}];
    for await (const batch of port.stream(request, signal)) {
      const end = batch.find(({event}) => event === 'message-finished');
      const cut = end?.event === 'message-finished' ? windows.cutAdvice(request, end.usage) : '';
      if (cut !== '') yield [{event: 'repaired', repair: 'prompt-cut', text: cut, leftOut: []}];
      yield batch;
    }
  },
});

type Ask = (server: Server, model: string, signal: AbortSignal) => Promise<Omit<ServerWindow, 'server'> | undefined>;

const asks: Readonly<Record<ServerName, Ask>> = {
  Ollama: ollama,
  'LM Studio': lmStudio,
  'llama.cpp': llamaCpp,
  vLLM: vllm,
};

/** Tries the requests of all known servers at the same time, unless the user named the server. */
async function askServer(server: Server, model: string, signal: AbortSignal): Promise<ServerWindow | undefined> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
  const names = Object.keys(asks) as readonly ServerName[];
  const wanted = names.filter(name => name === server.title);
  const found = await Promise.all(
    (wanted.length === 0 ? names : wanted).map(async name => {
      const window = await asks[name](server, model, signal);
      const isSaid = window !== undefined && (window.tokens > 0 || window.state === 'not-loaded');
      return isSaid ? {...window, server: name} : undefined;
    }),
  );
  return found.find(window => window?.state === 'loaded') ?? found.find(window => window !== undefined);
}

async function ollama(server: Server, model: string, signal: AbortSignal): ReturnType<Ask> {
  const running = await json(server, '/api/ps', signal);
  if (!Array.isArray(running?.['models'])) return undefined;
  const isModel = (name: Json | undefined): boolean => name === model || name === `${model}:latest`;
  const loaded = objectsIn(running['models']).find(({name, model: id}) => isModel(name) || isModel(id));
  if (loaded !== undefined) return {tokens: windowOf(loaded['context_length']), state: 'loaded'};
  const about = await json(server, '/api/show', signal, {model});
  const parameters = about?.['parameters'];
  const set = /^num_ctx\s+(\d+)/mu.exec(typeof parameters === 'string' ? parameters : '')?.[1];
  const info = isJsonObject(about?.['model_info']) ? about['model_info'] : {};
  const trained = Object.entries(info).find(([name]) => name.endsWith('.context_length'))?.[1];
  return {tokens: Number(set ?? windowOf(trained)), state: 'not-loaded'};
}

async function lmStudio(server: Server, model: string, signal: AbortSignal): ReturnType<Ask> {
  const list = await json(server, '/api/v1/models', signal);
  for (const each of objectsIn(list?.['models'])) {
    const instances = objectsIn(each['loaded_instances']);
    const loaded = instances.find(({id}) => id === model) ?? instances[0];
    if (each['key'] !== model && each['id'] !== model && loaded?.['id'] !== model) continue;
    if (loaded === undefined) return {tokens: windowOf(each['max_context_length']), state: 'not-loaded'};
    const config = isJsonObject(loaded['config']) ? loaded['config'] : loaded;
    return {tokens: windowOf(config['context_length']), state: 'loaded'};
  }
  return undefined;
}

async function llamaCpp(server: Server, model: string, signal: AbortSignal): ReturnType<Ask> {
  const ofModel = await json(server, `/props?model=${encodeURIComponent(model)}&autoload=false`, signal);
  const props = ofModel ?? (await json(server, '/props', signal));
  const settings = isJsonObject(props?.['default_generation_settings']) ? props['default_generation_settings'] : {};
  return {tokens: windowOf(settings['n_ctx']), state: 'loaded'};
}

async function vllm(server: Server, model: string, signal: AbortSignal): ReturnType<Ask> {
  const list = await json(server, '/v1/models', signal);
  const found = objectsIn(list?.['data']).find(({id}) => id === model);
  return {tokens: windowOf(found?.['max_model_len']), state: 'loaded'};
}

/** Returns the object with which the server answers; `undefined` for anything else. */
async function json(
  {baseUrl, send, headers}: Server,
  path: string,
  signal: AbortSignal,
  body?: JsonObject,
): Promise<JsonObject | undefined> {
  const {base, query} = openAiBase(baseUrl);
  const url = `${anthropicBase(base).base}${path}${path.includes('?') ? query.replace('?', '&') : query}`;
  const post = body === undefined ? {} : {method: 'POST', body: JSON.stringify(body)};
  try {
    const response = await send(url, {headers: {...headers, 'content-type': 'application/json'}, signal, ...post});
    if (!response.ok) return undefined;
    const answer = await readAnyJson(response);
    return isJsonObject(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

const objectsIn = (list: Json | undefined): readonly JsonObject[] => listOf(list).filter(isJsonObject);

/** Returns a window in tokens; 0 for a value that can't be one. */
const windowOf = (value: Json | undefined): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= minWindow && value <= maxWindow ? value : 0;
