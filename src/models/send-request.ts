import {otherRefusal} from '../domain/fault.ts';
import {randomUUID} from 'node:crypto';
import type {ModelEvent, ModelRequest} from '../domain/model-stream.ts';
import type {Decoder} from './decoder.ts';
import {TextCalls} from './text-calls.ts';
import {takeBody, readServerEvents} from './http-fetch.ts';
import {
  connectionLost,
  type Endpoint,
  type ProviderError,
  type SendOnce,
  type ServerHistory,
  toProviderError,
  type AttemptItem,
} from './provider-error.ts';

/** A wire protocol: how a request is sent and how what comes back is read. */
export interface ProviderDialect {
  readonly endpoint: Endpoint;
  /** Sends the request; the response's body must come from `httpFetch`. Rejects with the SDK's errors. */
  post(request: ModelRequest, signal: AbortSignal): Promise<Response>;
  decoder(request: ModelRequest): Decoder;
}

/** Silence after which a stream counts as lost; local models may read a long prompt for minutes before the first word. */
const maxSilenceMs = 300_000;
/** How long the rest of a finished answer may take so that its connection can be used again. */
const maxDrainMs = 1_000;

/** Servers that speak a provider's protocol may not have its own tools, and refuse the whole request. */
function aboutSearching(error: ProviderError, {tools}: ModelRequest): ProviderError {
  if (error.kind !== 'final' || error.fault.kind !== 'provider' || error.fault.status !== 400) return error;
  if (!tools.some(tool => 'provided' in tool)) return error;
  const fix = `${error.fault.fix} If this server does not search the web itself, remove the rule that allows WebSearch, or set BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL.`;
  return {kind: 'final', fault: {...error.fault, fix}};
}

/** One try at a request in `dialect`. */
export function makeSendOnce(dialect: ProviderDialect): SendOnce {
  let server: ServerHistory = 'never-answered';
  return async function* sendOnce(request, signal): AsyncGenerator<AttemptItem, void, void> {
    const abort = new AbortController();
    const onAbort = (): void => abort.abort();
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) abort.abort();
    const decoder = dialect.decoder(request);
    const textCalls = new TextCalls(request, () => randomUUID().replaceAll('-', ''));
    let whole = false;
    try {
      const response = await dialect.post(request, abort.signal);
      server = 'answered-before';
      const body = takeBody(response);
      const unreadable = wrongKind(response, dialect.endpoint);
      if (unreadable !== undefined) {
        yield {kind: 'error', error: unreadable};
        return;
      }
      const silence = setTimeout(() => abort.abort(), maxSilenceMs);
      try {
        for await (const payloads of readServerEvents(body, kindOf(response))) {
          silence.refresh();
          const events: ModelEvent[] = [];
          const error = takeAll(payloads, decoder, events);
          whole = decoder.finished;
          yield* shownOf(events, textCalls);
          if (error !== undefined) yield {kind: 'error', error};
          if (error !== undefined || whole) return;
        }
      } finally {
        clearTimeout(silence);
        if (whole) drain(body);
      }
      const events: ModelEvent[] = [];
      decoder.end(events);
      whole = decoder.finished;
      yield* shownOf(events, textCalls);
      if (!whole) yield {kind: 'error', error: connectionLost('The connection closed during the answer.')};
    } catch (cause) {
      if (signal.aborted) return;
      const silent = connectionLost('No data from the model for five minutes.');
      yield {
        kind: 'error',
        error: abort.signal.aborted
          ? silent
          : aboutSearching(toProviderError(cause, dialect.endpoint, {model: request.model, server}), request),
      };
    } finally {
      signal.removeEventListener('abort', onAbort);
      if (!whole) abort.abort();
    }
  };
}

async function* shownOf(events: readonly ModelEvent[], textCalls: TextCalls): AsyncGenerator<AttemptItem, void, void> {
  const shown = textCalls.take(events);
  if (textCalls.isUndecided) shown.push(...(await textCalls.decide()));
  if (shown.length > 0) yield {kind: 'events', events: shown};
}

function takeAll(payloads: readonly string[], decoder: Decoder, out: ModelEvent[]): ProviderError | undefined {
  for (const payload of payloads) {
    const error = decoder.take(payload, out);
    if (error !== undefined) return error;
    if (decoder.finished) return undefined;
  }
  return undefined;
}

function kindOf(response: Response): 'stream' | 'json' {
  return /^application\/(?:[\w.-]+\+)?json\b/iu.test(response.headers.get('content-type') ?? '') ? 'json' : 'stream';
}

/** A web page in place of a model's answer: the address is that of something else. */
function wrongKind(response: Response, endpoint: Endpoint): ProviderError | undefined {
  if (!/^text\/html\b/iu.test(response.headers.get('content-type') ?? '')) return undefined;
  return {
    kind: 'final',
    fault: {
      kind: 'provider',
      message: `${endpoint.baseUrl} answered with a web page instead of a model's answer.`,
      fix: `Check the base URL (--base-url or ${endpoint.urlVariable}).`,
      status: response.status,
      refusal: otherRefusal,
    },
  };
}

/** Reads what is left, usually nothing but the end mark, so that the connection is free for the next request. */
function drain(body: ReturnType<typeof takeBody>): void {
  if (body.readableEnded) return;
  const timer = setTimeout(() => body.destroy(), maxDrainMs);
  body.on('close', () => clearTimeout(timer));
  body.on('error', () => clearTimeout(timer));
  body.resume();
}
