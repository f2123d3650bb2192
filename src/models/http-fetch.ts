import type {IncomingMessage} from 'node:http';
import type {Readable} from 'node:stream';
import {StringDecoder} from 'node:string_decoder';
import {urlToHttpOptions} from 'node:url';
import {type Json, type JsonObject, objectOf, parseJson} from '../base/json.ts';
import {createParser} from 'eventsource-parser';
import {FaultError, otherRefusal} from '../domain/fault.ts';
import {HttpHeaders, HttpResponse} from './fetch-classes.ts';
import type {ProxyEnvironment, Route} from './proxy.ts';

/**
 * Returns a `fetch` for the SDKs, on Node's own HTTP client. Long streams cost about a third less than web streams, a
 * model may think for more than five minutes without a timeout, and network errors keep their codes. `takeBody` returns
 * the body of a successful response. The body of a refusal is in the response. Redirects are not followed. Requests go
 * through the proxy that the environment names.
 */
export const makeHttpFetch =
  (environment: ProxyEnvironment) =>
  async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const address = new URL(typeof input === 'string' || input instanceof URL ? input : input.url);
    return responseOf(await send(address, init, await routeOf(address, environment)));
  };

export type HttpFetch = ReturnType<typeof makeHttpFetch>;

/** Loads the proxy code only if there is a proxy, because most users have none. */
async function routeOf(address: URL, environment: ProxyEnvironment): Promise<Route> {
  if (!proxyVariables.some(name => (environment[name] ?? '') !== '')) return {kind: 'direct'};
  const {routeThroughProxy} = await import('./proxy.ts');
  return routeThroughProxy(address, environment);
}

const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];

async function responseOf(incoming: IncomingMessage): Promise<Response> {
  const status = incoming.statusCode ?? 0;
  const headers = new HttpHeaders();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const body = plainBody(incoming);
  if (status < 200 || status > 299) {
    const text = await beginningOf(body);
    refusals.set(headers, text);
    return new HttpResponse({text, status, headers});
  }
  const response = new HttpResponse({text: '', status, headers});
  bodies.set(response, body);
  return response;
}

// A reader of the body gets the errors of both streams.
const onEnd = (): void => {};

/** Some gateways compress answers although weft asks for none of that. A cut answer ends where it was cut. */
function plainBody(incoming: IncomingMessage): Readable {
  const encoding = (incoming.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return incoming;
  const zlib = process.getBuiltinModule('node:zlib');
  const {constants, createBrotliDecompress, createUnzip} = zlib;
  const {pipeline} = process.getBuiltinModule('node:stream');
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return pipeline(incoming, createUnzip({finishFlush: constants.Z_SYNC_FLUSH}), onEnd);
    case 'br':
      return pipeline(incoming, createBrotliDecompress({finishFlush: constants.BROTLI_OPERATION_FLUSH}), onEnd);
    case 'zstd':
      if ('createZstdDecompress' in zlib)
        return pipeline(incoming, zlib.createZstdDecompress({finishFlush: constants.ZSTD_e_flush}), onEnd);
      incoming.destroy();
      throw new FaultError(
        {
          kind: 'provider',
          message: `The server compressed its answer with zstd, which Node ${process.versions.node} can't read.`,
          fix: 'Use Node 22.15 or newer, or turn the compression off at the gateway.',
          status: incoming.statusCode ?? 0,
          refusal: otherRefusal,
        },
        undefined,
      );
    default:
      return incoming;
  }
}

/** Matches the codes of zlib's errors, the last ones those of Brotli and zstd. */
const compressionError = /^(?:Z_|ERR__ERROR_|ERR_BROTLI_|ZSTD_)/u;

/** Returns the text of a refusal that came with these headers. The SDKs read only some of its forms. */
export const refusalBody = (headers: HttpHeaders): string => refusals.get(headers) ?? '';

const refusals = new WeakMap<HttpHeaders, string>();

/** Returns the unread body of a successful response from `makeHttpFetch`. */
export function takeUnreadBody(response: Response): Readable {
  const body = bodies.get(response);
  if (body === undefined) throw new Error('this response has no body of its own, or it was taken');
  bodies.delete(response);
  return body;
}

/** Reads the JSON object in the whole body of a response, successful or not; empty if there is none. */
export const readJson = async (response: Response): Promise<JsonObject> => objectOf(await readAnyJson(response));

/** Reads the JSON value in the whole body of a response, successful or not; `undefined` if there is none. */
export async function readAnyJson(response: Response): Promise<Json | undefined> {
  const texts: string[] = [];
  if (response.ok) for await (const batch of readServerEvents(takeUnreadBody(response), 'json')) texts.push(...batch);
  const body = parseJson(response.ok ? texts.join('') : await response.text());
  return body.tag === 'ok' ? body.value : undefined;
}

/** The maximum number of bytes that weft reads of an error response. Some responses never end. */
const maxRefusal = 1024 * 1024;

async function beginningOf(incoming: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const piece = Buffer.from(chunk);
    chunks.push(piece);
    bytes += piece.length;
    if (bytes > maxRefusal) break;
  }
  return Buffer.concat(chunks).subarray(0, maxRefusal).toString();
}

const bodies = new WeakMap<Response, Readable>();

async function send(address: URL, init: RequestInit, route: Route): Promise<IncomingMessage> {
  try {
    return await sendOnce(address, init, route);
  } catch (cause) {
    // The server closed an idle connection just when it was used again, so the server has not seen the request.
    if (cause instanceof StaleConnection) return sendOnce(address, init, route);
    throw cause;
  }
}

async function sendOnce(address: URL, init: RequestInit, route: Route): Promise<IncomingMessage> {
  const {promise, resolve, reject} = Promise.withResolvers<IncomingMessage>();
  const way = route.kind === 'direct' ? urlToHttpOptions(address) : route.options;
  const more = route.kind === 'direct' ? {} : route.headers;
  // Load the module with the first request. `import('node:http')` would read each of its exports, and one of them,
  // WebSocket, loads undici.
  const {request: start} = process.getBuiltinModule(way.protocol === 'https:' ? 'node:https' : 'node:http');
  const headers = {...Object.fromEntries(new HttpHeaders(init.headers)), 'accept-encoding': 'identity'};
  const outgoing = start({...way, method: init.method ?? 'GET', headers: {...headers, ...more}}, incoming => {
    // A reader gets the error. Without a reader it would be an uncaught exception.
    incoming.on('error', () => {});
    const refused = route.kind === 'direct' ? undefined : route.refusal(incoming);
    if (refused === undefined) return resolve(incoming);
    incoming.destroy();
    reject(refused);
  });
  outgoing.on('error', cause => {
    const stale =
      outgoing.reusedSocket && init.signal?.aborted !== true && 'code' in cause && cause.code === 'ECONNRESET';
    if (stale) return reject(new StaleConnection('stale connection', {cause}));
    reject(route.kind === 'direct' ? cause : route.explainError(cause));
  });
  // Don't use Node's own `signal` option: it crashes the process if the abort comes just when the answer has ended.
  const onAbort = (): void => void outgoing.destroy();
  init.signal?.addEventListener('abort', onAbort);
  outgoing.on('close', () => init.signal?.removeEventListener('abort', onAbort));
  if (init.signal?.aborted === true) outgoing.destroy();
  else outgoing.end(typeof init.body === 'string' || init.body instanceof Uint8Array ? init.body : undefined);
  return promise;
}

class StaleConnection extends Error {}

/**
 * The maximum number of UTF-16 units of one event and of a whole stream. In a stream that sends every token separately, the longest
 * answers have some tens of millions.
 */
export const maxEventLength = 32 * 1024 * 1024;
export const maxStreamLength = 256 * 1024 * 1024;

/** Thrown if a server's event or stream exceeds its limit. */
export class EndlessStreamError extends Error {
  override readonly name = 'EndlessEvents';
}

/** Thrown if a stream breaks the rules of its form. The message is one sentence for the user. */
export class DamagedStreamError extends Error {
  override readonly name = 'DamagedStream';
}

/**
 * Yields the payloads of a server-sent event stream. Payloads that arrive together are one batch, which is empty for a comment
 * or a part of an event. If the server answers with anything else, yields all of it as one payload. Some servers call a stream
 * JSON. Leaves the body open if the caller stops early. Rejects if the connection breaks, and with `EndlessStreamError` if the
 * stream exceeds its limit.
 */
export async function* readServerEvents(
  body: Readable,
  kind: 'stream' | 'json',
): AsyncGenerator<readonly string[], void, void> {
  let unread = 0;
  let total = 0;
  const count = (chunk: string): void => {
    unread += chunk.length;
    total += chunk.length;
    if (unread > maxEventLength || total > maxStreamLength) throw new EndlessStreamError();
  };
  let batch: string[] = [];
  const parser = createParser({onEvent: event => batch.push(event.data)});
  if (kind === 'json') {
    const chunks: string[] = [];
    for await (const chunk of textOf(body)) {
      count(chunk);
      chunks.push(chunk);
    }
    const whole = chunks.join('');
    if (!/^\uFEFF?(?::|data:|event:|id:|retry:)/u.test(whole)) yield [whole];
    else {
      parser.feed(`${whole}\n\n`);
      yield batch;
    }
    return;
  }
  let before = '';
  let hasEvents = false;
  for await (const chunk of textOf(body)) {
    count(chunk);
    parser.feed(chunk);
    hasEvents ||= batch.length > 0;
    before = hasEvents ? '' : before + chunk;
    if (batch.length > 0) unread = 0;
    yield batch;
    batch = [];
  }
  // Some servers omit the blank line after their last event.
  parser.feed('\n\n');
  if (batch.length > 0) yield batch;
  // Some servers call plain JSON a stream, and gateways send pages of their own.
  else if (!hasEvents && before.trim() !== '') yield [before];
}

/** Yields the text of a body. Decodes everything since the last read at once, not packet by packet. */
async function* textOf(body: Readable): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder('utf8');
  const packets: AsyncIterable<Buffer> = body.iterator({destroyOnReturn: false});
  try {
    for await (const packet of packets) yield decoder.write(packet);
  } catch (cause) {
    const isDamaged = cause instanceof Error && 'code' in cause && compressionError.test(String(cause.code));
    throw isDamaged ? new DamagedStreamError('The server sent a compressed answer that is damaged.') : cause;
  }
  yield decoder.end();
}
