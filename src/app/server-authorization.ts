import type {AddressScope} from '../base/ip-address.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {faultText} from '../domain/fault.ts';
import {readWebUrl} from '../domain/web-url.ts';
import {parseOAuthSettings} from '../extensions/mcp/oauth/oauth-settings.ts';
import {
  type Authorization,
  type OAuthDeps,
  type OAuthServer,
  makeSessionAuth,
} from '../extensions/mcp/oauth/session-auth.ts';
import type {ServerConfig} from '../extensions/mcp/server-config.ts';
import {openServerCredentials} from './server-credentials.ts';
import {userPlaces} from './user-data.ts';

/** Returns what signing in to servers needs on this machine. `learnSecret` gets every token as soon as it is known. */
export const oauthDeps = (learnSecret: (secret: string) => void) => ({
  credentials: openServerCredentials(userPlaces(), process.env),
  fetchFor,
  now: () => Date.now(),
  learnSecret,
});

/**
 * Returns an HTTP server that may need a sign-in; `undefined` for a program. Fails with what is wrong in its configuration. The variables
 * in `config` must be expanded.
 */
export function oauthServer(name: string, config: ServerConfig): Outcome<OAuthServer | undefined, string> {
  const {transport} = config;
  if (transport.kind === 'stdio') return ok(undefined);
  const url = URL.parse(transport.url);
  if (url === null || !/^https?:$/u.test(url.protocol)) return failed('"url" is not an http or https address');
  const oauth = parseOAuthSettings(config.oauth);
  return oauth.tag === 'failed' ? oauth : ok({name, url, oauth: oauth.value});
}

/**
 * Returns how a connection to a server authenticates the user; `undefined` for a program, and if the configuration has its own
 * `Authorization` header.
 */
export async function serverAuthorization(
  {name, config}: {readonly name: string; readonly config: ServerConfig},
  deps: OAuthDeps,
  signal: AbortSignal,
): Promise<Outcome<Authorization | undefined, string>> {
  const server = oauthServer(name, config);
  if (server.tag === 'failed') return server;
  const headers = config.transport.kind === 'stdio' ? {} : config.transport.headers;
  const isProven = Object.keys(headers).some(header => header.toLowerCase() === 'authorization');
  return ok(server.value === undefined || isProven ? undefined : await makeSessionAuth(server.value, deps, signal));
}

/** The maximum number of bytes of an answer. The reader of answers about signing in has a lower limit. */
const maxBytes = 2 * 1024 * 1024;
const limitMs = 30_000;

/** Makes the `fetch` of `OAuthDeps`. A server on this machine may name other servers on it. */
function fetchFor(...named: readonly URL[]): ReturnType<OAuthDeps['fetchFor']> {
  const isHere = named.some(({href}) => scopeOf(href) === 'loopback');
  return async (address, init) => {
    const {host, href, pathname} = new URL(address);
    // Discovery never follows redirects, even if the client would.
    const redirect = pathname.startsWith('/.well-known/') ? 'manual' : (init?.redirect ?? 'follow');
    if (named.some(each => each.host === host)) return fetch(address, {...init, redirect});
    const url = readWebUrl(href);
    if (url.tag === 'failed') throw new Error(url.error);
    if (url.value.scope === 'loopback' && !isHere)
      throw new Error(`the server names an address of this machine (${host}), which weft does not open for it`);
    const [{exchange}, {machineNetwork}, {routeThroughProxy}] = await Promise.all([
      import('../workspace/web/exchange.ts'),
      import('../workspace/web/connect-host.ts'),
      import('../models/proxy.ts'),
    ]);
    const {method, headers, body} = new Request(href, {...init, redirect: 'manual'});
    const answer = await exchange(
      {
        url: url.value,
        method: method === 'POST' ? 'POST' : 'GET',
        headers: Object.fromEntries(headers),
        body: body === null ? '' : await new Response(body).text(),
        reach: 'as-named',
        maxBytes,
      },
      {...machineNetwork, routeOf: to => routeThroughProxy(to, process.env)},
      init?.signal ?? AbortSignal.timeout(limitMs),
    );
    if (answer.tag === 'failed') throw new Error(faultText(answer.error));
    const {status} = answer.value;
    const sent = Object.entries(answer.value.headers).flatMap(([name, value]) =>
      value === undefined || name === 'content-encoding'
        ? []
        : [value].flat().map(each => [name, each] as [string, string]),
    );
    const hasNoBody = status === 204 || status === 205 || status === 304;
    return new Response(hasNoBody ? null : new Uint8Array(answer.value.body), {status, headers: sent});
  };
}

function scopeOf(address: string): AddressScope | undefined {
  const url = readWebUrl(address);
  return url.tag === 'ok' ? url.value.scope : undefined;
}
