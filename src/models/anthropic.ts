import type {MessageId} from '../domain/ids.ts';
import type {Message} from '../domain/conversation.ts';
import type {ModelPort, ModelRequest} from '../domain/model-stream.ts';
import {randomUUID} from 'node:crypto';
import type {BaseAnthropic} from '@anthropic-ai/sdk/client';
import {AnthropicDecoder} from './anthropic-decoder.ts';
import {anthropicRequest} from './anthropic-request.ts';
import {openPort, type ProviderOptions} from './stream-with-retries.ts';
import {makeHttpFetch} from './http-fetch.ts';
import {type ModelInfo, sentMedia} from './model-facts.ts';
import type {Endpoint} from './provider-error.ts';
import type {ProviderDialect} from './send-request.ts';
import {idRules, sendableRequest, wireJson} from './sendable-request.ts';
import {longestSide} from '../domain/image-facts.ts';
import {type MediaBounds, withoutUnseen} from './unseen-media.ts';

/** The base URL may be with or without the `/v1`. */
export interface AnthropicOptions extends ProviderOptions {
  readonly apiKey: string;
  /** `taken`: the server knows references to tools that the model has found, in the conversations of models that know them. */
  readonly toolReferences: 'taken' | 'refused';
}

/**
 * Models over Anthropic's Messages API. The SDK prepares, signs and sends the requests and explains refusals; it is loaded with the
 * first request. Tries are counted and streams read here (`retry.ts`, `anthropic-decoder.ts`).
 */
export function connectAnthropic(options: AnthropicOptions): ModelPort {
  const baseUrl = options.baseUrl === undefined ? officialUrl : withoutVersion(options.baseUrl);
  const endpoint: Endpoint = {
    name: options.baseUrl === undefined ? 'Anthropic' : baseUrl,
    baseUrl,
    keyVariable: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
  };
  let client: Promise<BaseAnthropic> | undefined;
  let {toolReferences} = options;
  /** Answers whose thinking the API did not take back; without it they are taken. */
  const refused = new Set<MessageId>();
  const dialect: ProviderDialect = {
    endpoint,
    async post(request, signal) {
      try {
        return await send(request, signal);
      } catch (cause) {
        if (!changesAfter(cause, request)) throw cause;
        return send(request, signal);
      }
    },
    decoder: request => new AnthropicDecoder({endpoint, model: request.model, newId: () => randomUUID()}),
  };
  async function send(request: ModelRequest, signal: AbortSignal): Promise<Response> {
    client ??= openClient(options, baseUrl);
    const info = options.models.infoOf(request.model);
    const messages = withoutForeignThinking(request.messages, {model: request.model, refused});
    const sendable = sendableRequest(
      {...request, messages},
      {
        fitId: idRules.anthropic,
        schema: 'any',
      },
    );
    const seen = withoutUnseen(sendable, sentMedia(info, mediaBounds(info)));
    const known = knowsReferences(request.model) ? toolReferences : 'refused';
    // As with references to tools: others that speak the protocol may refuse what they do not know.
    const thinkingDisplay = options.baseUrl === undefined ? 'asked-for' : 'as-usual';
    const manner = {info, effort: options.effort, toolReferences: known, thinkingDisplay} as const;
    const body = wireJson(anthropicRequest(seen, manner));
    // Ready-made JSON with its type: the SDK then sends it as it is, and asks for none of fetch's body classes.
    const headers = {'content-type': 'application/json', accept: 'text/event-stream'};
    return (await client).post('/v1/messages', {body, headers, stream: true, signal}).asResponse();
  }
  /** Whether the request goes in another form from now on, as the refusal asks. */
  function changesAfter(cause: unknown, request: ModelRequest): boolean {
    if (toolReferences === 'taken' && refusesReferences(cause)) {
      toolReferences = 'refused';
      return true;
    }
    const suspects = refusesThinking(cause) ? thoughtful(request.messages).filter(id => !refused.has(id)) : [];
    for (const id of suspects) refused.add(id);
    return suspects.length > 0;
  }
  return openPort(dialect, {...options, provider: 'anthropic', searchesWeb: true});
}

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

/** The models that are known to know references to tools. */
const knowsReferences = (model: string): boolean =>
  /^claude-(?:(?:opus|sonnet)-4-[5-9](?!\d)|(?:opus|sonnet|fable|mythos|haiku)-[5-9](?!\d))/u.test(model);

const refusesReferences = (cause: unknown): boolean =>
  refusesRequest(cause) && /defer_loading|tool[_ ]reference/iu.test(cause.message);

/**
 * Since Claude 5.1 thinking is bound to the model and to everything before it (system prompt, tools, messages): where one of these has
 * changed, the API refuses the whole request.
 */
const refusesThinking = (cause: unknown): boolean =>
  refusesRequest(cause) && /messages\.\d+[^"]*thinking|thinking[^"]*(?:block|signature|binding)/iu.test(cause.message);

const refusesRequest = (cause: unknown): cause is Error =>
  cause instanceof Error && 'status' in cause && cause.status === 400;

/** The paths of the protocol begin with it; many give the address with it, as others want it. */
const withoutVersion = (baseUrl: string): string => baseUrl.replace(/(?:\/v1(?:\/messages)?)?\/*$/u, '');

const officialUrl = 'https://api.anthropic.com';

/** The SDK, which the first request needs: who loads it earlier, while the user types, lets that request wait for nothing. */
export async function loadAnthropicSdk(): Promise<typeof BaseAnthropic> {
  return (await import('@anthropic-ai/sdk/client')).BaseAnthropic;
}

async function openClient({apiKey, environment}: AnthropicOptions, baseUrl: string): Promise<BaseAnthropic> {
  const Client = await loadAnthropicSdk();
  return new Client({
    apiKey,
    baseURL: baseUrl,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    fetch: makeHttpFetch(environment),
    // The SDK sends the key as a bearer token; many servers that speak the protocol know only the older header.
    ...(baseUrl === officialUrl ? {} : {defaultHeaders: {'x-api-key': apiKey}}),
  });
}

/**
 * Returns the messages without thinking that Anthropic would refuse: thinking of another Claude model, which a model can't
 * read, and thinking in the messages of `refused`.
 */
export function withoutForeignThinking(
  messages: readonly Message[],
  {model, refused}: {readonly model: string; readonly refused: ReadonlySet<MessageId>},
): readonly Message[] {
  return messages.map(message => {
    if (message.role === 'user' || !(isOtherClaude(message.model, model) || refused.has(message.id))) return message;
    return {...message, blocks: message.blocks.filter(({kind}) => kind !== 'thinking' && kind !== 'sealed-thinking')};
  });
}

/** The answers that hold thinking. */
const thoughtful = (messages: readonly Message[]): readonly MessageId[] =>
  messages
    .filter(({blocks}) => blocks.some(({kind}) => kind === 'thinking' || kind === 'sealed-thinking'))
    .map(({id}) => id);

/** Servers may answer under a name of their own: only two names of Claude models that differ say something. */
function isOtherClaude(answered: string, asked: string): boolean {
  const [one, other] = [claudeName(answered), claudeName(asked)];
  return one !== '' && other !== '' && one !== other;
}

/** The model's name without prefix, date and version of a cloud; empty for models that are not Claude. */
const claudeName = (model: string): string =>
  /(?:^|[/.])(claude-[a-z0-9-]*?[a-z0-9])(?:[-@]20\d{6})?(?:-v\d+(?::\d+)?)?(?:\[1m\])?$/u
    .exec(model.toLowerCase().replaceAll(/(\d)\.(\d)/gu, '$1-$2'))
    ?.at(1) ?? '';
