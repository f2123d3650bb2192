import {causeText, type Fault, FaultError, otherRefusal} from '../domain/fault.ts';
import type {ModelEvent} from '../domain/model-stream.ts';
import {HttpHeaders} from './fetch-classes.ts';
import type {ProxyError} from './proxy.ts';
import {DamagedStreamError, EndlessStreamError, refusalBody} from './http-fetch.ts';

/** Why one try at a request did not end in a complete message. */
export type ProviderError =
  /**
   * Another try may succeed. `message` and `fix` go into the fault if no try succeeds. `status` is the HTTP status, 0
   * if there was none. `retryAfterMs` is the wait that the server asked for, 0 if it named none. `patience` is `short`
   * if more than a few tries would only delay the user: no server listens on the user's own machine, or the host name
   * doesn't exist. `one-repeat`: the server ended an answer that is empty or cut.
   */
  | {
      readonly kind: 'passing';
      readonly status: number;
      readonly message: string;
      readonly fix: string;
      readonly retryAfterMs: number;
      readonly patience: 'usual' | 'short' | 'one-repeat';
    }
  | {readonly kind: 'final'; readonly fault: Fault};

/** A refusal as the provider sent it, or another text instead of a message. `refusals.ts` and `not-message.ts` interpret them. */
export interface Refused {
  readonly kind: 'refused';
  /** The HTTP status; 0 for a refusal in the middle of a stream, 200 for something else instead of a message. */
  readonly status: number;
  readonly header: (name: string) => string | null;
  /** The body, usually JSON. */
  readonly body: string;
}

/** Returns a refusal that came as an event of a stream. */
export const refusedInStream = (event: unknown): Refused => ({
  kind: 'refused',
  status: 0,
  header: () => null,
  body: JSON.stringify(event),
});

/** Returns a successful answer that is not a message of a model. `body` is empty if nothing came. */
export const notMessage = (body: string): Refused => ({kind: 'refused', status: 200, header: () => null, body});

/**
 * The state of an answer so far. `whole`: it stops where an answer can end. `cut-message`: the server has marked the end of a
 * text that stops in the middle of a sentence. `none`: no text and no tool call has come.
 */
export type AnswerContent = 'whole' | 'cut-text' | 'cut-message' | 'cut-call' | 'none';

/**
 * The items that one try yields: the events of one message, and at most one error, as the last item. A try that ends without
 * `message-finished` and without an error was aborted.
 */
export type AttemptItem =
  | {readonly kind: 'events'; readonly events: readonly ModelEvent[]}
  /** The stream ended in order, but without the mark that ends an answer. A consumer that reads on takes the answer as it is. */
  | {readonly kind: 'unmarked'; readonly content: AnswerContent}
  | {readonly kind: 'error'; readonly error: ProviderError | Refused};

/** Returns the error for a connection or stream that broke off without an explanation. */
export const connectionLost = (
  message: string,
  patience: 'usual' | 'one-repeat' = 'usual',
  fix = 'Check the network connection, then try again.',
): ProviderError => ({
  kind: 'passing',
  status: 0,
  message,
  fix,
  retryAfterMs: 0,
  patience,
});

/** Returns a temporary error that isn't worth a long wait. */
export const briefError = (message: string, fix: string, waitMs = 0): ProviderError => ({
  kind: 'passing',
  status: 0,
  message,
  fix,
  retryAfterMs: waitMs,
  patience: 'short',
});

/** The destination of requests, and the names of its settings for the user. */
export interface Endpoint {
  /** The server's name in messages. */
  readonly name: string;
  readonly baseUrl: string;
  readonly keyVariable: string;
  readonly urlVariable: string;
}

/** True if the server has answered this process before. Its name is then right, and a failure is temporary. */
export type ServerHistory = 'answered-before' | 'never-answered';

/** Classifies an error of an SDK or of the network. Any other error is a bug in weft. */
export function toProviderError(cause: unknown, endpoint: Endpoint, server: ServerHistory): ProviderError | Refused {
  if (!(cause instanceof Error)) return bug(cause);
  if (cause instanceof EndlessStreamError) {
    return unreachableServer(
      `${endpoint.name} sent an endless answer; weft stopped reading it.`,
      'Rephrase the prompt, or use another model.',
    );
  }
  if (cause instanceof DamagedStreamError) return connectionLost(cause.message);
  const carried = errorsIn(cause).find(each => each instanceof FaultError);
  if (carried !== undefined) return {kind: 'final', fault: carried.fault};
  const proxied = ofProxy(cause);
  if (proxied !== undefined) return proxied;
  const status = 'status' in cause && typeof cause.status === 'number' ? cause.status : undefined;
  if (status !== undefined) {
    const headers = 'headers' in cause && cause.headers instanceof HttpHeaders ? cause.headers : new HttpHeaders();
    return {kind: 'refused', status, header: name => headers.get(name), body: refusalBody(headers)};
  }
  return readNetworkError(cause, endpoint, server);
}

function readNetworkError(cause: Error, endpoint: Endpoint, server: ServerHistory): ProviderError {
  const code = codeOf(cause);
  if (server === 'never-answered' && (code === 'ENOTFOUND' || code === 'EAI_AGAIN')) {
    return briefError(
      `The host of ${endpoint.baseUrl} was not found (${code}).`,
      `Check the network connection, and the base URL (--base-url or ${endpoint.urlVariable}).`,
      1000,
    );
  }
  if (code === 'ECONNREFUSED' && isLoopback(endpoint.baseUrl)) {
    return briefError(
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
  // The SDKs read such a variable themselves, and let the headers of the platform refuse it.
  if (cause instanceof TypeError && /header name|ByteString/u.test(cause.message)) {
    const variable = endpoint.keyVariable.replace('API_KEY', 'CUSTOM_HEADERS');
    return unreachableServer(
      `A header of the request can't be sent: ${cause.message}`,
      `Check ${variable} (one "Name: value" per line) and ${endpoint.keyVariable}.`,
    );
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
  return code === undefined
    ? briefError(`No answer from ${endpoint.baseUrl}.`, 'Try again later, or use another model.')
    : connectionLost(`The connection to ${endpoint.baseUrl} failed (${code}).`);
}

/** Compares by name, because the proxy code is loaded only if a proxy is used. */
function ofProxy(cause: unknown): ProviderError | undefined {
  const at = errorsIn(cause).find(isProxyError);
  if (at === undefined) return undefined;
  return at.kind === 'final' ? unreachableServer(at.message, at.fix) : briefError(at.message, at.fix);
}

/** Returns the error and its causes. SDKs wrap the errors of `fetch` in errors of their own. */
function errorsIn(cause: unknown): readonly Error[] {
  const errors: Error[] = [];
  for (let at = cause; at instanceof Error && errors.length < 5; at = at.cause) errors.push(at);
  return errors;
}

const isProxyError = (cause: Error): cause is ProxyError => cause.name === 'ProxyError';

/** Returns the code of a network error. */
function codeOf(cause: unknown): string | undefined {
  for (const at of errorsIn(cause)) if ('code' in at && typeof at.code === 'string') return at.code;
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

/**
 * Returns the delay that a server requests in its headers, in milliseconds; 0 if it requests none. `now` is in
 * milliseconds since the epoch.
 */
export function retryAfterMs(header: (name: string) => string | null, now: number): number {
  const exact = Number.parseFloat(header('retry-after-ms') ?? '');
  if (exact > 0) return exact;
  const given = header('retry-after')?.trim() ?? '';
  if (given === '') return untilReset(header, now);
  const delay = /^\d+(?:\.\d+)?$/u.test(given) ? Number(given) * 1000 : Date.parse(given) - now;
  return delay > 0 ? delay : 0;
}

/** Returns the wait until a limit ends. Some servers send this time in seconds or milliseconds since the epoch. */
function untilReset(header: (name: string) => string | null, now: number): number {
  const given = Number(header('anthropic-ratelimit-unified-reset') ?? header('x-ratelimit-reset') ?? 0);
  const at = given > 1e12 ? given : given * 1000;
  return at > now && at - now < 366 * 86_400_000 ? at - now : 0;
}
