import type {ModelPort, ModelRequest} from '../domain/model-stream.ts';
import {randomUUID} from 'node:crypto';
import type {OpenAI} from 'openai/client';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {WireApi} from '../config/settings-schema.ts';
import {type Fault, otherRefusal} from '../domain/fault.ts';
import {openPort, type ProviderOptions} from './stream-with-retries.ts';
import {openAiBase, queryParams} from './base-url.ts';
import {makeHttpFetch} from './http-fetch.ts';
import {geminiUrl, modelIdsIn} from './list-models.ts';
import {hostOf, isGemini, type ProviderRow, rowAt, type ThinkingEcho} from './provider-rows.ts';
import {OpenAiDecoder} from './openai-decoder.ts';
import {openAiRequest} from './openai-request.ts';
import {ResponsesDecoder} from './responses-decoder.ts';
import {responsesRequest} from './responses-request.ts';
import {sentMedia} from './model-facts.ts';
import {type MediaBounds, type SentMedia, withoutUnseen} from './unseen-media.ts';
import {toProviderError, type Endpoint} from './provider-error.ts';
import type {SessionRefusalChanges, ProviderDialect} from './send-request.ts';
import {idRules, type SendableRules, sendableRequest, wireBytes, wireJson} from './sendable-request.ts';

/** The options of a connection. The base URL includes the `/v1`. Many servers on the user's own machine need no key. */
export interface OpenAiOptions extends ProviderOptions {
  /**
   * `auto`: Responses at OpenAI itself, chat completions at any other address, because most servers support only that.
   */
  readonly wireApi: WireApi | 'auto';
  /** The provider's row, if the user chose the provider by name. Otherwise the address tells. */
  readonly row?: ProviderRow | undefined;
}

/**
 * Connects to OpenAI's models, or to a server with one of OpenAI's protocols. The SDK prepares, signs and sends the
 * requests and explains refusals. It is loaded with the first request. weft itself counts tries and reads streams.
 */
export const connectOpenAi = (options: OpenAiOptions): ModelPort =>
  connect(options, {
    provider: 'openai',
    endpoint: endpointOf(options),
    wireApi: wireApiOf(options),
    row: options.row,
  });

/** Connects to Google's Gemini models at Google's address for OpenAI's chat completions, or at another address that replaces it. */
export function connectGemini(options: ProviderOptions): ModelPort {
  const endpoint: Endpoint = {
    name: 'Gemini',
    baseUrl: openAiBase(options.baseUrl ?? geminiUrl).base,
    keyVariable: 'GEMINI_API_KEY',
    urlVariable: 'GEMINI_BASE_URL',
    ...options.access?.endpoint,
  };
  return connect(options, {provider: 'gemini', endpoint, wireApi: 'chat'});
}

interface Service {
  readonly row?: ProviderRow | undefined;
  readonly provider: 'openai' | 'gemini';
  readonly endpoint: Endpoint;
  readonly wireApi: WireApi;
}

function connect(options: ProviderOptions, {provider, endpoint, wireApi, row: named}: Service): ModelPort {
  let client: Promise<OpenAI> | undefined;
  const postTo =
    (path: string): ProviderDialect['post'] =>
    async (content, signal) => {
      client ??= openClient(options, endpoint);
      const headers = {'content-type': 'application/json', accept: 'text/event-stream'};
      // An access may sign or change the text.
      const body = options.access === undefined ? wireBytes(content) : wireJson(content);
      return (await client).post(path, {body, headers, stream: true, signal}).asResponse();
    };
  const mannerOf = ({model}: ModelRequest) => ({info: options.models.infoOf(model)});
  /** A server that is not known to accept PDFs gets them only if the user's settings say that the model reads them. */
  const isResponses = wireApi === 'responses';
  const takesAll = isResponses ? named === undefined : takesPdfs(endpoint);
  const mediaTo = (model: string): SentMedia => {
    const info = options.models.infoOf(model);
    const media = sentMedia(info, provider === 'gemini' ? geminiBounds : openAiBounds);
    return takesAll || info.from === 'settings' ? media : {...media, pdfs: 'named'};
  };
  const seen = (request: ModelRequest, rules: SendableRules): ModelRequest =>
    withoutUnseen(sendableRequest(request, rules), mediaTo(request.model));
  const row = named ?? rowAt(endpoint.baseUrl);
  const server = {host: hostOf(endpoint.baseUrl), provider: row, echo: row.echo};
  // Google refuses tool calls without a signature of the model's thinking.
  const signatures = isGemini(endpoint) ? 'wanted' : 'as-given';
  const echoOf = (model: string, learned: SessionRefusalChanges['thinkingEcho'] = 'as-known'): ThinkingEcho => {
    const {reasoning} = options.models.infoOf(model);
    if (reasoning === 'strip') return 'none';
    if (learned === 'required') return 'always';
    return reasoning === 'echo' && server.echo === 'none' ? 'own' : server.echo;
  };
  const chat: ProviderDialect = {
    endpoint,
    body: (request, {thinkingEcho}) =>
      openAiRequest(seen(request, row), {
        ...mannerOf(request),
        signatures,
        server: {...server, echo: echoOf(request.model, thinkingEcho)},
      }),
    post: postTo('/chat/completions'),
    decoder: ({model}) =>
      new OpenAiDecoder({
        endpoint,
        model,
        newId: () => randomUUID(),
        emptyThinking: echoOf(model) === 'own' ? 'kept' : 'dropped',
      }),
  };
  const responses: ProviderDialect = {
    endpoint,
    body: request => {
      const rules = {fitId: idRules.responses, schema: 'any'} as const;
      return responsesRequest(seen(request, rules), mannerOf(request));
    },
    post: postTo('/responses'),
    decoder: request => new ResponsesDecoder({endpoint, model: request.model, newId: () => randomUUID()}),
  };
  const port = openPort(isResponses ? responses : chat, {
    ...options,
    provider,
    searchesWeb: isResponses && options.access?.searchesWeb !== false,
  });
  return {...port, facts: model => ({...port.facts(model), pdfs: mediaTo(model).pdfs})};
}

/** Lists the names of the models that a server offers, in its order. Tries only once. An abort is a fault like any other. */
export async function listModels(
  options: Pick<OpenAiOptions, 'apiKey' | 'baseUrl' | 'environment' | 'access'>,
  signal: AbortSignal,
): Promise<Outcome<readonly string[], Fault>> {
  const endpoint = endpointOf(options);
  try {
    const client = await openClient(options, endpoint);
    const ids = await modelIdsIn(await client.get('/models', {signal}).asResponse());
    if (ids !== undefined) return ok(ids);
    return failed({
      kind: 'provider',
      message: `${endpoint.baseUrl} did not answer with a list of models.`,
      fix: `Check the base URL (--base-url or ${endpoint.urlVariable}).`,
      status: 200,
      refusal: otherRefusal,
    });
  } catch (cause) {
    const found = toProviderError(cause, endpoint, 'never-answered');
    const error =
      found.kind === 'refused'
        ? (await import('./refusals.ts')).judgeRefusal(found, endpoint, {model: '', tools: []}).error
        : found;
    if (error.kind === 'final') return failed(error.fault);
    const {message, fix, status} = error;
    return failed({kind: 'provider', message, fix, status, refusal: otherRefusal});
  }
}

/** Returns the protocol for a server. */
export const wireApiOf = ({baseUrl, wireApi}: Pick<OpenAiOptions, 'baseUrl' | 'wireApi'>): WireApi => {
  if (wireApi !== 'auto') return wireApi;
  return isOpenAi(endpointOf({baseUrl})) ? 'responses' : 'chat';
};

/** True for OpenAI's own address, including those of its regions. */
const isOpenAi = ({baseUrl}: Pick<Endpoint, 'baseUrl'>): boolean =>
  /(?:^|\.)api\.openai\.com$/u.test(URL.parse(baseUrl)?.hostname ?? '');

/** At most 500 images and 50 MB in a request (developers.openai.com/api/docs/guides/images-vision). Other servers publish no limits. */
const openAiBounds: MediaBounds = {
  largestImage: 20_000_000,
  longestSide: 'unbounded',
  maxImages: 500,
  maxMedia: 40_000_000,
};

/** At most 20 MB in a request that contains its files (ai.google.dev/gemini-api/docs/image-understanding). */
const geminiBounds: MediaBounds = {
  largestImage: 15_000_000,
  longestSide: 'unbounded',
  maxImages: 500,
  maxMedia: 15_000_000,
};

/** True for servers with this protocol that are known to accept PDFs. */
const takesPdfs = ({baseUrl}: Endpoint): boolean =>
  /(?:^|\.)(?:openai\.com|openrouter\.ai)$/u.test(URL.parse(baseUrl)?.hostname ?? '');

function endpointOf({baseUrl: given, access}: Pick<OpenAiOptions, 'baseUrl' | 'access'>): Endpoint {
  const baseUrl = given === undefined ? undefined : openAiBase(given).base;
  return {
    name: baseUrl ?? 'OpenAI',
    baseUrl: baseUrl ?? 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
    ...access?.endpoint,
  };
}

/** Loads the SDK, which the first request needs. Load it while the user types, so that the request does not wait. */
export async function loadOpenAiSdk(): Promise<typeof OpenAI> {
  return (await import('openai/client')).OpenAI;
}

async function openClient(
  {
    apiKey,
    baseUrl: given = '',
    environment,
    access,
  }: Pick<OpenAiOptions, 'apiKey' | 'baseUrl' | 'environment' | 'access'>,
  {baseUrl}: Endpoint,
): Promise<OpenAI> {
  const Client = await loadOpenAiSdk();
  return new Client({
    // The SDK requires a key. Servers that need none ignore it.
    apiKey: apiKey ?? 'none',
    baseURL: baseUrl,
    defaultQuery: queryParams(openAiBase(given).query),
    maxRetries: 0,
    logLevel: 'off',
    // The SDK would send the organization and project of the environment to any address.
    ...(isOpenAi({baseUrl}) ? {} : {organization: null, project: null}),
    fetch: access?.fetch ?? makeHttpFetch(environment),
  });
}
