import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {parseOAuthSettings} from '../../extensions/mcp/oauth/oauth-settings.ts';
import {type OAuthDeps, type OAuthServer, sessionAuth} from '../../extensions/mcp/oauth/session-auth.ts';
import type {ServerConfig} from '../../extensions/mcp/server-config.ts';
import {openServerCredentials} from './server-credentials.ts';
import {userPlaces} from './user-data.ts';

/** What signing in to servers needs on this machine. `learnSecret` is told of every token as soon as it is known. */
export const oauthDeps = (learnSecret: (secret: string) => void) => ({
  credentials: openServerCredentials(userPlaces(), process.env),
  fetch: (url: string | URL, init?: RequestInit) => fetch(url, init),
  now: () => Date.now(),
  learnSecret,
});

/** An HTTP server that may want to be signed in to; the failure says what in its configuration does not fit. `config` is filled in. */
export function oauthServer(name: string, config: ServerConfig): Outcome<OAuthServer | undefined, string> {
  const {transport} = config;
  if (transport.kind === 'stdio') return ok(undefined);
  const url = URL.parse(transport.url);
  if (url === null || !/^https?:$/u.test(url.protocol)) return failed('"url" is no http or https address');
  const oauth = parseOAuthSettings(config.oauth);
  return oauth.tag === 'failed' ? oauth : ok({name, url, oauth: oauth.value});
}

/**
 * How a connection to a server proves who the user is: `undefined` for a program, and where the configuration itself has a header for
 * that.
 */
export async function serverAuthorization(
  {name, config}: {readonly name: string; readonly config: ServerConfig},
  deps: OAuthDeps,
  signal: AbortSignal,
): Promise<Outcome<Awaited<ReturnType<typeof sessionAuth>> | undefined, string>> {
  const server = oauthServer(name, config);
  if (server.tag === 'failed') return server;
  const headers = config.transport.kind === 'stdio' ? {} : config.transport.headers;
  const isProven = Object.keys(headers).some(header => header.toLowerCase() === 'authorization');
  return ok(server.value === undefined || isProven ? undefined : await sessionAuth(server.value, deps, signal));
}
