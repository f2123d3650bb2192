import {firstLine} from '../base/clip.ts';
import {isJsonObject} from '../base/json.ts';
import {causeText, type Fault} from '../domain/fault.ts';
import {retryAfterMs} from './retry.ts';
import type {ProxyTrouble} from './proxy.ts';
import {EndlessEvents} from './server-events.ts';
import {brokenOff, type Trouble} from './trouble.ts';

/** Where requests go, and the names a user knows its settings by. */
export interface Endpoint {
  /** What to call it in messages. */
  readonly name: string;
  readonly baseUrl: string;
  readonly keyVariable: string;
  readonly urlVariable: string;
}

/** Whether the server has answered this process before: then its name is right, and what fails passes. */
export type Acquaintance = 'answered-before' | 'never-answered';

/** What the error of an SDK or of the network means; errors that are neither are ours. `model` is empty where none was asked. */
export function readTrouble(
  cause: unknown,
  endpoint: Endpoint,
  {model, server}: {readonly model: string; readonly server: Acquaintance},
): Trouble {
  if (!(cause instanceof Error)) return bug(cause);
  if (cause instanceof EndlessEvents) {
    return unreachableServer(
      `${endpoint.name} sent an answer without an end; weft stopped reading it.`,
      'Ask again in other words, or use another model.',
    );
  }
  const proxied = ofProxy(cause);
  if (proxied !== undefined) return proxied;
  const status = 'status' in cause && typeof cause.status === 'number' ? cause.status : undefined;
  if (status !== undefined) {
    const header = headersOf(cause);
    const body = 'error' in cause ? cause.error : undefined;
    return readRefusal({status, header, ...readBody(body, cause.message)}, endpoint, model);
  }
  return readNetworkError(cause, endpoint, server);
}

/** A refusal in words: an HTTP status with its body, or an error sent in the middle of a stream. */
export interface Refusal {
  readonly status: number;
  readonly header: (name: string) => string | null;
  /** The provider's machine-readable names of the trouble, joined; may be empty. */
  readonly code: string;
  /** One line; may be empty. */
  readonly said: string;
}

export function readRefusal(refusal: Refusal, endpoint: Endpoint, model: string): Trouble {
  const {status, header, code, said} = refusal;
  const about = said === '' ? '' : `: ${said}`;
  const final = (message: string, fix: string): Trouble => ({
    kind: 'final',
    fault: {kind: 'provider', message, fix, status},
  });
  if (
    status === 402 ||
    /insufficient_quota|billing|credit_balance/u.test(code) ||
    /credit balance is too low/iu.test(said)
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
      retryAfterMs: retryAfterMs(header, Date.now()),
      patience: 'usual',
    };
  }
  if (status === 401) {
    return final(`${endpoint.name} did not accept the API key (401)${about}`, `Check ${endpoint.keyVariable}.`);
  }
  if (status === 403) {
    return final(
      `${endpoint.name} does not allow this request (403)${about}`,
      `Check that the key in ${endpoint.keyVariable} may use the model ${model}.`,
    );
  }
  if (status === 404 && model === '') {
    return final(
      `${endpoint.name} does not know the address ${endpoint.baseUrl} (404)${about}`,
      `Check the base URL (--base-url or ${endpoint.urlVariable}).`,
    );
  }
  if (status === 404 && endpoint.urlVariable === 'OPENAI_BASE_URL' && URL.parse(endpoint.baseUrl)?.pathname === '/') {
    return final(
      `${endpoint.name} does not know the address ${endpoint.baseUrl}/chat/completions (404)${about}`,
      `Most servers want /v1 at the end of the base URL (--base-url or ${endpoint.urlVariable}): ${endpoint.baseUrl}/v1`,
    );
  }
  if (status === 404) {
    return final(
      `${endpoint.name} knows no model ${model} at ${endpoint.baseUrl} (404)${about}`,
      `Check the model (--model) and the base URL (--base-url or ${endpoint.urlVariable}).`,
    );
  }
  if (status === 413 || isTooLong(code, said)) {
    return final(
      `The conversation is too long for ${model} (${status})${about}`,
      '/compact makes room in the terminal UI; else start a new session, or use a model with a larger context window.',
    );
  }
  if (status >= 300 && status < 400) {
    const target = header('location') ?? 'another address';
    return final(`${endpoint.baseUrl} redirects to ${target} (${status}).`, 'Use that address as the base URL.');
  }
  return final(
    `${endpoint.name} did not accept the request (${status})${about}`,
    `Check that ${model} supports tools, or use another model.`,
  );
}

/** Names and words of an error body: `{error: {type, code, message}}`, the inside of that, `{error: "text"}`, `{detail: …}`. */
export function readBody(body: unknown, fallback: string): {readonly code: string; readonly said: string} {
  const outer = isJsonObject(body) ? body : {};
  const inner = isJsonObject(outer['error']) ? outer['error'] : outer;
  const names = [inner['type'], inner['code']].filter(name => typeof name === 'string');
  const words = [inner['message'], outer['error'], outer['detail'], outer['message'], body].find(
    word => typeof word === 'string' && word !== '',
  );
  const said = typeof words === 'string' ? words : fallback.replace(/^\d{3} /u, '');
  const readable = /^\s*<|status code \(no body\)/u.test(said) ? '' : said;
  return {code: names.join(' '), said: firstLine(readable, 300)};
}

const isTooLong = (code: string, said: string): boolean =>
  /context_length_exceeded|exceed_context_size/u.test(code) ||
  /prompt is too long|maximum context length|exceeds? the (?:available |maximum )?context|context (?:window|length|size)\b.*exceed|exceed.*context (?:window|length|limit|size)/iu.test(
    said,
  );

function passing(status: number): string {
  if (status === 429) return 'is limiting the rate of requests';
  if (status === 529 || status === 503) return 'is overloaded';
  if (status === 408) return 'took too long';
  return 'has trouble';
}

function headersOf(cause: Error): (name: string) => string | null {
  const headers = 'headers' in cause ? cause.headers : undefined;
  return headers instanceof Headers ? name => headers.get(name) : () => null;
}

function readNetworkError(cause: Error, endpoint: Endpoint, server: Acquaintance): Trouble {
  const code = codeOf(cause);
  if (server === 'never-answered' && (code === 'ENOTFOUND' || code === 'EAI_AGAIN')) {
    return {
      kind: 'passing',
      status: 0,
      message: `The host of ${endpoint.baseUrl} was not found (${code}).`,
      fix: `Check the network connection, and the base URL (--base-url or ${endpoint.urlVariable}).`,
      retryAfterMs: 1000,
      patience: 'short',
    };
  }
  if (code === 'ECONNREFUSED' && isLoopback(endpoint.baseUrl)) {
    return {
      kind: 'passing',
      status: 0,
      message: `Nothing listens at ${endpoint.baseUrl}.`,
      fix: `Start the model server, or name another address (--base-url or ${endpoint.urlVariable}).`,
      retryAfterMs: 0,
      patience: 'short',
    };
  }
  if (code === 'ERR_INVALID_URL' || code === 'ERR_INVALID_PROTOCOL') {
    return unreachableServer(
      `"${endpoint.baseUrl}" is not the address of a model server.`,
      `Give one that begins with http:// or https:// (--base-url or ${endpoint.urlVariable}).`,
    );
  }
  if (code === 'ERR_INVALID_CHAR') {
    return unreachableServer('The API key holds characters that cannot be sent.', `Check ${endpoint.keyVariable}.`);
  }
  if (code !== undefined && /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO)/u.test(code)) {
    return unreachableServer(
      `No secure connection to ${endpoint.baseUrl} (${code}).`,
      'Check that the address speaks https; name a private certificate authority in NODE_EXTRA_CA_CERTS.',
    );
  }
  // The SDKs' errors about connections carry an empty status; timeouts among them have no code.
  const ofConnection = code === undefined ? 'status' in cause : !code.startsWith('ERR_');
  if (!ofConnection) return bug(cause);
  return brokenOff(
    code === undefined
      ? `No answer from ${endpoint.baseUrl}.`
      : `The connection to ${endpoint.baseUrl} failed (${code}).`,
  );
}

/** Known by its name: what speaks to proxies is loaded only where there is one. */
function ofProxy(cause: unknown): Trouble | undefined {
  for (let at = cause, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (!isProxyTrouble(at)) continue;
    const {message, fix, lasts} = at;
    if (lasts === 'final') return unreachableServer(message, fix);
    return {kind: 'passing', status: 0, message, fix, retryAfterMs: 0, patience: 'short'};
  }
  return undefined;
}

const isProxyTrouble = (cause: Error): cause is ProxyTrouble => cause.name === 'ProxyTrouble';

/** The code of a network error, which SDKs wrap in errors of their own. */
function codeOf(cause: unknown): string | undefined {
  for (let at = cause, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}

const unreachableServer = (message: string, fix: string): Trouble => ({
  kind: 'final',
  fault: {kind: 'provider', message, fix, status: 0},
});

function isLoopback(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

function bug(cause: unknown): Trouble {
  const fault: Fault = {kind: 'bug', message: `a request to the model failed: ${causeText(cause)}`, cause};
  return {kind: 'final', fault};
}
