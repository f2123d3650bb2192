import type {Message} from '../domain/conversation.ts';
import {withoutBoundThinking, withoutThinking} from '../domain/history.ts';
import type {MessageId} from '../domain/ids.ts';
import type {ModelPort, ModelRequest} from '../domain/model-stream.ts';
import {createHash, randomUUID} from 'node:crypto';
import type {BaseAnthropic} from '@anthropic-ai/sdk/client';
import {AnthropicDecoder} from './anthropic-decoder.ts';
import type {CacheTtl} from '../config/model-settings.ts';
import {type AnthropicBody, anthropicRequest, appendsEffort} from './anthropic-request.ts';
import {openPort, type ProviderOptions} from './stream-with-retries.ts';
import {anthropicBase, type BaseUrl, queryParams} from './base-url.ts';
import {makeHttpFetch} from './http-fetch.ts';
import {type ModelInfo, sentMedia} from './model-facts.ts';
import type {Endpoint} from './provider-error.ts';
import type {ProviderDialect} from './send-request.ts';
import {idRules, sendableRequest, wireBytes, wireJson} from './sendable-request.ts';
import {longestSide} from '../domain/image-facts.ts';
import {type MediaBounds, withoutUnseen} from './unseen-media.ts';

/** The options of a connection. The base URL may end in `/v1` or not. */
export interface AnthropicOptions extends ProviderOptions {
  readonly apiKey: string;
  readonly cacheTtl: CacheTtl;
  /** `taken`: the server accepts references to tools that the model has found, for models that know such references. */
  readonly toolReferences: 'taken' | 'refused';
}

/**
 * Connects to models over Anthropic's Messages API. The SDK prepares, signs and sends the requests and explains
 * refusals. It is loaded with the first request. weft itself counts tries (`retry.ts`) and reads streams
 * (`anthropic-decoder.ts`).
 */
export function connectAnthropic(options: AnthropicOptions): ModelPort {
  const {base: baseUrl, query} = anthropicBase(options.baseUrl ?? officialUrl);
  const endpoint: Endpoint = {
    name: options.baseUrl === undefined ? 'Anthropic' : baseUrl,
    baseUrl,
    keyVariable: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
    ...options.access?.endpoint,
  };
  let client: Promise<BaseAnthropic> | undefined;
  const binding = new ThinkingBinding();
  const host = options.baseUrl === undefined ? 'official' : 'other';
  const refusedBetas = options.access?.refusedBetas ?? new Set<string>();
  const dialect: ProviderDialect = {
    endpoint,
    body(request, learned) {
      const info = options.models.infoOf(request.model);
      const messages = withoutForeignThinking(echoedMessages(request, info), request.model);
      const sendable = sendableRequest({...request, messages}, {fitId: idRules.anthropic, schema: 'any'});
      const seen = withoutUnseen(sendable, sentMedia(info, mediaBounds(info)));
      const isKnown = learned.toolReferences === 'as-known' && knowsReferences(request.model);
      const toolReferences = isKnown ? options.toolReferences : 'refused';
      const {cacheTtl} = options;
      return binding.bound(seen, of =>
        anthropicRequest(of, {info, cacheTtl, toolReferences, host: refusedBetas.size === 0 ? host : 'other'}),
      );
    },
    async post(content, signal) {
      client ??= openClient(options, {base: baseUrl, query});
      // A cloud's access signs and changes the text.
      const body = options.access === undefined ? wireBytes(content) : wireJson(content);
      // Give the SDK finished JSON with its content type. The SDK then sends it unchanged and needs none of fetch's
      // body classes.
      const headers = {'content-type': 'application/json', accept: 'text/event-stream', ...betas(content)};
      return (await client).post('/v1/messages', {body, headers, stream: true, signal}).asResponse();
    },
    refusedBetas,
    decoder: request => new AnthropicDecoder({endpoint, model: request.model, newId: () => randomUUID()}),
  };
  const port = openPort(dialect, {
    ...options,
    provider: 'anthropic',
    searchesWeb: options.access?.searchesWeb ?? true,
  });
  return {
    ...port,
    facts: model => ({
      ...port.facts(model),
      effortChange: host === 'official' && appendsEffort(model) ? 'appended' : 'cache-lost',
    }),
  };
}

const betas = (body: object): Readonly<Record<string, string>> =>
  'messages' in body &&
  Array.isArray(body.messages) &&
  body.messages.some(({role}: AnthropicBody['messages'][number]) => role === 'system')
    ? {'anthropic-beta': 'mid-conversation-output-config-2026-07-01'}
    : {};

/**
 * The limits of a request: 32 MB in total, 5 MB for each encoded image, and 100 images, or 600 for models with a larger context
 * (platform.claude.com/docs/en/build-with-claude/vision).
 */
const mediaBounds = ({contextWindow}: ModelInfo): MediaBounds => ({
  largestImage: 5 * 1024 * 1024,
  longestSide: {ofFew: longestSide, few: 20, ofMany: 2000},
  maxImages: contextWindow > 200_000 ? 600 : 100,
  maxMedia: 24_000_000,
});

/** True for models that are known to support references to tools. */
const knowsReferences = (model: string): boolean =>
  /^claude-(?:(?:opus|sonnet)-4-[5-9](?!\d)|(?:opus|sonnet|fable|mythos|haiku)-[5-9](?!\d))/u.test(model);

const officialUrl = 'https://api.anthropic.com';

/** Loads the SDK, which the first request needs. Load it while the user types, so that the request does not wait. */
export async function loadAnthropicSdk(): Promise<typeof BaseAnthropic> {
  return (await import('@anthropic-ai/sdk/client')).BaseAnthropic;
}

async function openClient(
  {apiKey, environment, access}: AnthropicOptions,
  {base, query}: BaseUrl,
): Promise<BaseAnthropic> {
  const Client = await loadAnthropicSdk();
  return new Client({
    // The SDK insists on a key; `access` has its own credentials.
    apiKey: apiKey || 'none',
    baseURL: base,
    defaultQuery: queryParams(query),
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    fetch: access?.fetch ?? makeHttpFetch(environment),
    // The SDK sends the key as a bearer token, but many other servers know only the older header.
    ...(base === officialUrl ? {} : {defaultHeaders: {'x-api-key': apiKey}}),
  });
}

/**
 * Drops thinking that the provider would refuse, because the system prompt or the tools have changed since. Only late
 * tools of MCP servers and changed schemas cause such a change.
 */
class ThinkingBinding {
  /** A hash of the beginning of each conversation's last request, and the answers to requests that began differently. */
  readonly #conversations = new Map<MessageId, {beginning: string; readonly outdated: Set<MessageId>}>();

  bound(request: ModelRequest, build: (request: ModelRequest) => AnthropicBody): AnthropicBody {
    const body = build(request);
    const [first] = request.messages;
    if (first === undefined) return body;
    const tools = body.tools?.filter(tool => !('defer_loading' in tool));
    const beginning = createHash('sha256')
      .update(JSON.stringify([body.system, tools]))
      .digest('base64');
    const known = this.#conversations.get(first.id) ?? {beginning, outdated: new Set()};
    this.#conversations.set(first.id, known);
    if (known.beginning !== beginning)
      for (const {role, id} of request.messages) if (role === 'assistant') known.outdated.add(id);
    known.beginning = beginning;
    if (known.outdated.size === 0) return body;
    const messages = request.messages.map(one => (known.outdated.has(one.id) ? withoutBoundThinking(one) : one));
    return build({...request, messages});
  }
}

/** Returns the messages, without thinking if the user's settings say that the model gets none back. */
export const echoedMessages = (
  {messages}: ModelRequest,
  {reasoning}: Pick<ModelInfo, 'reasoning'>,
): readonly Message[] =>
  reasoning === 'strip' ? messages.map(each => (each.role === 'user' ? each : withoutThinking(each))) : messages;

/** Returns the messages without the thinking of another Claude model, which a model can't read. */
export const withoutForeignThinking = (messages: readonly Message[], model: string): readonly Message[] =>
  messages.map(message =>
    message.role === 'user' || !isOtherClaude(message.model, model) ? message : withoutThinking(message),
  );

/** Servers may answer under their own names, so only two different names of Claude models count. */
function isOtherClaude(answered: string, asked: string): boolean {
  const [one, other] = [claudeName(answered), claudeName(asked)];
  return one !== '' && other !== '' && one !== other;
}

/** Returns the model's name without a cloud's prefix, date and version; empty for models that are not Claude. */
const claudeName = (model: string): string =>
  /(?:^|[/.])(claude-[a-z0-9-]*?[a-z0-9])(?:[-@]20\d{6})?(?:-v\d+(?::\d+)?)?(?:\[1m\])?$/u
    .exec(model.toLowerCase().replaceAll(/(\d)\.(\d)/gu, '$1-$2'))
    ?.at(1) ?? '';
