import type {IncomingMessage} from 'node:http';
import {urlToHttpOptions} from 'node:url';
import type {ProxyEnvironment, Route} from './proxy.ts';

/**
 * `fetch` for the SDKs, on Node's own HTTP client. Long streams cost about a third less than through web streams, nothing
 * gives up on a model that thinks for more than five minutes, and network errors keep their codes. The body of a success is
 * read through `bodyOf`; that of a refusal is in the response. Redirects are not followed. Requests go through the proxy that the
 * environment names.
 */
export const httpFetchIn =
  (environment: ProxyEnvironment) =>
  async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const address = new URL(input instanceof Request ? input.url : input);
    return responseOf(await send(address, init, await routeOf(address, environment)));
  };

/** Most users have no proxy; the others load what speaks to one. */
async function routeOf(address: URL, environment: ProxyEnvironment): Promise<Route> {
  if (!proxyVariables.some(name => (environment[name] ?? '') !== '')) return {kind: 'direct'};
  const {routeThroughProxy} = await import('./proxy.ts');
  return routeThroughProxy(address, environment);
}

const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];

async function responseOf(incoming: IncomingMessage): Promise<Response> {
  const status = incoming.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  if (status >= 200 && status < 300) {
    const response = new Response(null, {status, headers});
    bodies.set(response, incoming);
    return response;
  }
  const refusal = await beginningOf(incoming);
  // `Response` takes no other numbers, and no body with these.
  const bodiless = status === 304;
  return new Response(bodiless ? null : refusal, {status: status >= 200 && status <= 599 ? status : 502, headers});
}

/** The unread body of a success of `httpFetch`. */
export function bodyOf(response: Response): IncomingMessage {
  const body = bodies.get(response);
  if (body === undefined) throw new Error('this response has no body of its own, or it was taken');
  bodies.delete(response);
  return body;
}

/** Bytes of a refusal that are read: nobody wants to hear more of one, and some never end. */
const mostRefusal = 1024 * 1024;

async function beginningOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const piece = Buffer.from(chunk);
    chunks.push(piece);
    bytes += piece.length;
    if (bytes > mostRefusal) break;
  }
  return Buffer.concat(chunks).subarray(0, mostRefusal).toString();
}

const bodies = new WeakMap<Response, IncomingMessage>();

async function send(address: URL, init: RequestInit, route: Route): Promise<IncomingMessage> {
  try {
    return await sendOnce(address, init, route);
  } catch (cause) {
    // The server closed an idle connection in the moment it was used again: it has not seen the request.
    if (cause instanceof StaleConnection) return sendOnce(address, init, route);
    throw cause;
  }
}

async function sendOnce(address: URL, init: RequestInit, route: Route): Promise<IncomingMessage> {
  const {promise, resolve, reject} = Promise.withResolvers<IncomingMessage>();
  const way = route.kind === 'direct' ? urlToHttpOptions(address) : route.options;
  const more = route.kind === 'direct' ? {} : route.headers;
  // Loaded with the first request: whoever starts weft does not wait for it.
  const {request: start} = await (way.protocol === 'https:' ? import('node:https') : import('node:http'));
  const headers = {...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity'};
  const outgoing = start({...way, method: init.method ?? 'GET', headers: {...headers, ...more}}, incoming => {
    // Who reads hears of errors; when nobody reads any more, they are nobody's.
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
    reject(route.kind === 'direct' ? cause : route.trouble(cause));
  });
  // Not left to Node's own `signal` option: it crashes the process when the abort meets an answer that has just ended.
  const onAbort = (): void => void outgoing.destroy();
  init.signal?.addEventListener('abort', onAbort);
  outgoing.on('close', () => init.signal?.removeEventListener('abort', onAbort));
  if (init.signal?.aborted === true) outgoing.destroy();
  else outgoing.end(typeof init.body === 'string' ? init.body : undefined);
  return promise;
}

class StaleConnection extends Error {}
