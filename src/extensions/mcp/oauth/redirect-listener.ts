import {once} from 'node:events';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import {failed, ok, type Outcome} from '../../../base/outcome.ts';
import {causeText} from '../../../domain/fault.ts';

/** Receives the browser's redirect after the user signed in: a page on 127.0.0.1 that only this process serves. */
export interface RedirectListener extends AsyncDisposable {
  readonly redirectUrl: string;
  readonly port: number;
  /**
   * Resolves with the query of the first request that has this `state`. Other requests, for example from web pages
   * that the user has open, are ignored. Rejects when `signal` aborts.
   */
  visited(state: string, signal: AbortSignal): Promise<URLSearchParams>;
}

/** Listens on this port of 127.0.0.1, or on any free port for 0. The error says why it can't. */
export async function listenForRedirect(port: number, path = '/callback'): Promise<Outcome<RedirectListener, string>> {
  const visits: URLSearchParams[] = [];
  let arrived = Promise.withResolvers<undefined>();
  let wanted: string | undefined;
  const server = createServer((request, response) => {
    const query = queryOf(request, {host: `127.0.0.1:${portOf(server)}`, path, state: wanted});
    answer(response, query === undefined ? 'unknown' : 'thanks');
    if (query === undefined) return;
    visits.push(query);
    arrived.resolve(undefined);
  });
  server.headersTimeout = 10_000;
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    return failed(causeText(cause));
  }
  return ok({
    port: portOf(server),
    redirectUrl: `http://127.0.0.1:${portOf(server)}${path}`,
    async visited(state, signal) {
      wanted = state;
      const stop = (): void => arrived.reject(signal.reason);
      signal.addEventListener('abort', stop, {once: true});
      if (signal.aborted) stop();
      try {
        await arrived.promise;
      } finally {
        signal.removeEventListener('abort', stop);
        arrived = Promise.withResolvers();
      }
      return visits.shift() ?? new URLSearchParams();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeIdleConnections();
      await Promise.race([once(server, 'close'), connectionsEnded(server)]);
    },
  });
}

/** Gives the thanks page time to reach the browser, which may keep its connection open afterwards. */
async function connectionsEnded(server: Server): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 200));
  server.closeAllConnections();
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Returns the query of a redirect from the authorization server. Refuses a host name that only resolves to 127.0.0.1. */
function queryOf(
  {method, url = '', headers}: IncomingMessage,
  {host, path, state}: {readonly host: string; readonly path: string; readonly state: string | undefined},
): URLSearchParams | undefined {
  if (method !== 'GET' || headers.host !== host || state === undefined) return undefined;
  const address = URL.parse(url, `http://${host}`);
  if (address?.pathname !== path) return undefined;
  return isAnswer(address.searchParams, state) ? address.searchParams : undefined;
}

/** True if a query answers the authorization request with this `state`. No parameter may appear twice. */
export function isAnswer(query: URLSearchParams, state: string): boolean {
  const names = [...query.keys()];
  if (new Set(names).size !== names.length || query.get('state') !== state) return false;
  return query.has('code') !== query.has('error');
}

function answer(response: ServerResponse, page: 'thanks' | 'unknown'): void {
  response
    .writeHead(page === 'thanks' ? 200 : 404, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'",
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    })
    .end(pages[page]);
}

/** The pages never contain any part of the request. */
const pages = {
  thanks: '<!doctype html><title>weft</title><p>You can close this page and go back to weft.</p>\n',
  unknown: '<!doctype html><title>weft</title><p>weft expects nothing here.</p>\n',
} as const;
