import {firstLine} from '../base/clip.ts';
import {isJsonObject} from '../base/json.ts';
import {causeText, type Fault, otherRefusal} from '../domain/fault.ts';
import type {ModelEvent, ModelRequest} from '../domain/model-stream.ts';
import {HttpHeaders} from './fetch-classes.ts';
import type {ProxyError} from './proxy.ts';
import {EndlessStreamError} from './http-fetch.ts';

/** Why one try at a request did not end in a whole message. */
export type ProviderError =
  /**
   * Another try may succeed. `message` and `fix` are for the fault if none does. `status` is the HTTP status, 0 if there was
   * none. `retryAfterMs` is the wait that the server asked for, 0 if it named none. `patience` is `short` if more than a few
   * tries would only delay the user: no server listens on the user's own machine, or the host name doesn't exist.
   */
  | {
      readonly kind: 'passing';
      readonly status: number;
      readonly message: string;
      readonly fix: string;
      readonly retryAfterMs: number;
      readonly patience: 'usual' | 'short';
    }
  | {readonly kind: 'final'; readonly fault: Fault};

/**
 * The items that one try yields: the events of one message, and at most one error, as the last item. A try that ends without
 * `message-finished` and without an error was aborted.
 */
export type AttemptItem =
  | {readonly kind: 'events'; readonly events: readonly ModelEvent[]}
  | {readonly kind: 'error'; readonly error: ProviderError};

/** Sends the request once. It throws only on bugs, and leaves nothing open when it is abandoned. */
export type SendOnce = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<AttemptItem>;

/** The connection or the stream broke off, with nothing said about why. */
export const connectionLost = (message: string): ProviderError => ({
  kind: 'passing',
  status: 0,
  message,
  fix: 'Check the network connection, then try again.',
  retryAfterMs: 0,
  patience: 'usual',
});

/** A temporary error that isn't worth a long wait. */
export const shortTrouble = (message: string, fix: string, waitMs = 0): ProviderError => ({
  kind: 'passing',
  status: 0,
  message,
  fix,
  retryAfterMs: waitMs,
  patience: 'short',
});

/** The destination of requests, and the names of its settings for the user. */
export interface Endpoint {
  /** Its name in messages. */
  readonly name: string;
  readonly baseUrl: string;
  readonly keyVariable: string;
  readonly urlVariable: string;
}

/** True if the server has answered this process before. Its name is then right, and a failure is temporary. */
export type ServerHistory = 'answered-before' | 'never-answered';

/**
 * Classifies an error of an SDK or of the network. Any other error is a bug in weft. `model` is empty if no model was
 * requested.
 */
export function toProviderError(
  cause: unknown,
  endpoint: Endpoint,
  {model, server}: {readonly model: string; readonly server: ServerHistory},
): ProviderError {
  if (!(cause instanceof Error)) return bug(cause);
  if (cause instanceof EndlessStreamError) {
    return unreachableServer(
      `${endpoint.name} sent an endless answer; weft stopped reading it.`,
      'Rephrase the prompt, or use another model.',
    );
  }
  const proxied = ofProxy(cause);
  if (proxied !== undefined) return proxied;
  const status = 'status' in cause && typeof cause.status === 'number' ? cause.status : undefined;
  if (status !== undefined) {
    const header = headersOf(cause);
    const body = 'error' in cause ? cause.error : undefined;
    return errorFromRefusal({status, header, ...readErrorBody(body, cause.message)}, endpoint, model);
  }
  return readNetworkError(cause, endpoint, server);
}

/** A refusal in words: an HTTP status with its body, or an error sent in the middle of a stream. */
interface Refusal {
  readonly status: number;
  readonly header: (name: string) => string | null;
  /** The provider's machine-readable names of the trouble, joined; may be empty. */
  readonly code: string;
  /** One line; may be empty. */
  readonly message: string;
}

export function errorFromRefusal(refusal: Refusal, endpoint: Endpoint, model: string): ProviderError {
  const {header, code, message: explanation} = refusal;
  const status = saidStatus(refusal);
  const about = explanation === '' ? '' : `: ${explanation}`;
  const final = (message: string, fix: string): ProviderError => ({
    kind: 'final',
    fault: {kind: 'provider', message, fix, status, refusal: otherRefusal},
  });
  if (
    status === 402 ||
    /insufficient_quota|billing|credit_balance/u.test(code) ||
    /credit balance is too low/iu.test(explanation)
  ) {
    return final(
      `${endpoint.name} refused for lack of credit (${status})${about}`,
      'Add credit with the provider, or use another key.',
    );
  }
  const mayPass = status === 408 || status === 409 || status === 429 || status >= 500;
  if (mayPass && header('x-should-retry') !== 'false') {
    return {
      kind: 'passing',
      status,
      message: `${endpoint.name} ${passing(status)} (${status})${about}`,
      fix: 'Try again later.',
      retryAfterMs: retryAfterMs(header, Date.now()) || saidWaitMs(explanation),
      patience: 'usual',
    };
  }
  if (status === 401) {
    return final(`${endpoint.name} rejected the API key (401)${about}`, `Check ${endpoint.keyVariable}.`);
  }
  if (status === 403) {
    return final(
      `${endpoint.name} does not allow this request (403)${about}`,
      `Check that the key in ${endpoint.keyVariable} may use the model ${model}.`,
    );
  }
  if (status === 404 && model === '') {
    return final(
      `No model API at ${endpoint.baseUrl} (404)${about}`,
      `Check the base URL (--base-url or ${endpoint.urlVariable}).`,
    );
  }
  if (status === 404 && endpoint.urlVariable === 'OPENAI_BASE_URL' && URL.parse(endpoint.baseUrl)?.pathname === '/') {
    return final(
      `No model API at ${endpoint.baseUrl}/chat/completions (404)${about}`,
      `Most servers need /v1 at the end of the base URL (--base-url or ${endpoint.urlVariable}): ${endpoint.baseUrl}/v1`,
    );
  }
  if (status === 404) {
    return final(
      `${endpoint.name} has no model ${model} at ${endpoint.baseUrl} (404)${about}`,
      `Check the model (--model) and the base URL (--base-url or ${endpoint.urlVariable}).`,
    );
  }
  if (status === 413 || isTooLong(code, explanation)) {
    const [, tokens = 0, window = 0] = /(\d+) tokens > (\d+) maximum/u.exec(explanation) ?? [];
    return {
      kind: 'final',
      fault: {
        kind: 'provider',
        message: `The conversation is too long for ${model} (${status})${about}`,
        fix: 'Make room with /compact, start a new session, or use a model with a larger context window.',
        status,
        refusal: {kind: 'too-long', tokens: Number(tokens), window: Number(window)},
      },
    };
  }
  if (status >= 300 && status < 400) {
    const target = header('location') ?? 'another address';
    return final(`${endpoint.baseUrl} redirects to ${target} (${status}).`, 'Use that address as the base URL.');
  }
  return final(
    `${endpoint.name} rejected the request (${status})${about}`,
    `Check that ${model} supports tools, or use another model.`,
  );
}

/** Some servers say with a 400 what has a status of its own elsewhere. */
function saidStatus({status, code, message}: Refusal): number {
  if (status !== 400) return status;
  if (/model_not_found/u.test(code)) return 404;
  return /API_KEY_INVALID|api key not valid/iu.test(`${code} ${message}`) ? 401 : status;
}

/** The wait that is asked for in words alone, in milliseconds; 0 if none is: "Please retry in 34.07s." */
const saidWaitMs = (message: string): number =>
  Math.ceil(Number(/\bretry in (\d+(?:\.\d+)?)s\b/iu.exec(message)?.[1] ?? 0) * 1000);

/** Names and words of an error body: `{error: {type, code, message}}`, the inside of that, `{error: "text"}`, `{detail: …}`. */
export function readErrorBody(body: unknown, fallback: string): {readonly code: string; readonly message: string} {
  const outer = isJsonObject(body) ? body : {};
  const inner = isJsonObject(outer['error']) ? outer['error'] : outer;
  const names = [inner['type'], inner['code'], inner['status']].filter(name => typeof name === 'string');
  const words = [inner['message'], outer['error'], outer['detail'], outer['message'], body].find(
    word => typeof word === 'string' && word !== '',
  );
  const message = typeof words === 'string' ? words : fallback.replace(/^\d{3} /u, '');
  const readable = /^\s*<|status code \(no body\)/u.test(message) ? '' : message;
  return {code: names.join(' '), message: firstLine(readable, 300)};
}

const isTooLong = (code: string, message: string): boolean =>
  /context_length_exceeded|exceed_context_size/u.test(code) ||
  /prompt is too long|maximum context length|exceeds? the (?:available |maximum )?context|context (?:window|length|size)\b.*exceed|exceed.*context (?:window|length|limit|size)/iu.test(
    message,
  );

function passing(status: number): string {
  if (status === 429) return 'is limiting the rate of requests';
  if (status === 529 || status === 503) return 'is overloaded';
  if (status === 408) return 'took too long';
  return 'has trouble';
}

function headersOf(cause: Error): (name: string) => string | null {
  const headers = 'headers' in cause ? cause.headers : undefined;
  return headers instanceof HttpHeaders ? name => headers.get(name) : () => null;
}

function readNetworkError(cause: Error, endpoint: Endpoint, server: ServerHistory): ProviderError {
  const code = codeOf(cause);
  if (server === 'never-answered' && (code === 'ENOTFOUND' || code === 'EAI_AGAIN')) {
    return shortTrouble(
      `The host of ${endpoint.baseUrl} was not found (${code}).`,
      `Check the network connection, and the base URL (--base-url or ${endpoint.urlVariable}).`,
      1000,
    );
  }
  if (code === 'ECONNREFUSED' && isLoopback(endpoint.baseUrl)) {
    return shortTrouble(
      `Nothing listens at ${endpoint.baseUrl}.`,
      `Start the model server, or set another address (--base-url or ${endpoint.urlVariable}).`,
    );
  }
  if (code === 'ERR_INVALID_URL' || code === 'ERR_INVALID_PROTOCOL') {
    return unreachableServer(
      `"${endpoint.baseUrl}" is not a URL.`,
      `Use one that begins with http:// or https:// (--base-url or ${endpoint.urlVariable}).`,
    );
  }
  if (code === 'ERR_INVALID_CHAR') {
    return unreachableServer('The API key contains characters that cannot be sent.', `Check ${endpoint.keyVariable}.`);
  }
  if (code !== undefined && /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO)/u.test(code)) {
    return unreachableServer(
      `No secure connection to ${endpoint.baseUrl} (${code}).`,
      'Check that the server supports https; set NODE_EXTRA_CA_CERTS for a private certificate authority.',
    );
  }
  // The SDKs' errors about connections carry an empty status; timeouts among them have no code.
  const ofConnection = code === undefined ? 'status' in cause : !code.startsWith('ERR_');
  if (!ofConnection) return bug(cause);
  return connectionLost(
    code === undefined
      ? `No answer from ${endpoint.baseUrl}.`
      : `The connection to ${endpoint.baseUrl} failed (${code}).`,
  );
}

/** Compared by name, since the proxy code is loaded only if a proxy is used. */
function ofProxy(cause: unknown): ProviderError | undefined {
  for (let at = cause, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (!isProxyError(at)) continue;
    return at.kind === 'final' ? unreachableServer(at.message, at.fix) : shortTrouble(at.message, at.fix);
  }
  return undefined;
}

const isProxyError = (cause: Error): cause is ProxyError => cause.name === 'ProxyError';

/** The code of a network error, which SDKs wrap in errors of their own. */
function codeOf(cause: unknown): string | undefined {
  for (let at = cause, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}

const unreachableServer = (message: string, fix: string): ProviderError => ({
  kind: 'final',
  fault: {kind: 'provider', message, fix, status: 0, refusal: otherRefusal},
});

function isLoopback(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

function bug(cause: unknown): ProviderError {
  const fault: Fault = {kind: 'bug', message: `a request to the model failed: ${causeText(cause)}`, cause};
  return {kind: 'final', fault};
}

/** The delay a server asks for in its headers, in milliseconds; 0 when it asks for none. `now` is milliseconds since the epoch. */
export function retryAfterMs(header: (name: string) => string | null, now: number): number {
  const exact = Number.parseFloat(header('retry-after-ms') ?? '');
  if (exact > 0) return exact;
  const given = header('retry-after')?.trim() ?? '';
  if (given === '') return 0;
  const delay = /^\d+(?:\.\d+)?$/u.test(given) ? Number(given) * 1000 : Date.parse(given) - now;
  return delay > 0 ? delay : 0;
}
