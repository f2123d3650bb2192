import type {AuthProvider, FetchLike, OAuthClientProvider} from '@modelcontextprotocol/client';
import type {Outcome} from '../../../base/outcome.ts';
import {unreachable} from '../../../base/unreachable.ts';
import {registeredClient, secretsOf, type ServerCredential} from '../../../config/server-credentials.ts';
import {causeText, type Fault, faultText} from '../../../domain/fault.ts';
import type {OAuthSettings} from './oauth-settings.ts';
import {type AuthChallenge, emptyChallenge, SignInNeeded} from './sign-in-needed.ts';

/** The credentials from sign-ins, stored by the server's address (`serverKey`). */
export interface CredentialStore {
  read(url: string): Promise<ServerCredential | undefined>;
  /** Returns where the credential is stored, as text. */
  write(url: string, credential: ServerCredential): Promise<Outcome<string, Fault>>;
  forget(url: string): Promise<Outcome<unknown, Fault>>;
  /** Runs `work` under a lock that all weft processes on this machine share for a server. Rejects when `signal` aborts while it waits. */
  alone<T>(url: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** A server that may require a sign-in. */
export interface OAuthServer {
  readonly name: string;
  readonly url: URL;
  readonly oauth: OAuthSettings;
}

export interface OAuthDeps {
  readonly credentials: CredentialStore;
  /**
   * Returns a `fetch` for a server at one of these addresses, which the user configured. It refuses the other addresses
   * that the web tools refuse, because the server may have supplied them.
   */
  readonly fetchFor: (...named: readonly URL[]) => FetchLike;
  readonly now: () => number;
  /** Called with every token and client secret as soon as it is known, so that it is redacted everywhere. */
  readonly learnSecret: (secret: string) => void;
}

/** Returns the key of a server's credential: the whole URL without its fragment. */
export function serverKey(url: URL): string {
  const key = new URL(url);
  key.hash = '';
  return key.href;
}

/**
 * Returns the authorization for a connection to an HTTP server during a session. It never asks the user and never
 * registers weft. A request that requires a sign-in rejects with `SignInNeeded`. An expired token is refreshed once,
 * however many requests wait for it.
 */
export async function makeSessionAuth(
  server: OAuthServer,
  deps: OAuthDeps,
  signal: AbortSignal,
): Promise<Authorization> {
  const {oauth, url} = server;
  if (oauth.grant === 'authorization-code')
    return {authProvider: new SessionAuth(server, deps, signal), fetch: deps.fetchFor(url)};
  const named = oauth.grant === 'enterprise' ? [url, new URL(oauth.identityProvider.tokenUrl)] : [url];
  const fetch = deps.fetchFor(...named);
  return {
    authProvider: await makeMachineAuth(oauth, {fetch: oauthFetch(fetch, signal), learnSecret: deps.learnSecret}),
    fetch,
  };
}

/**
 * Authorizes weft at servers without user sign-in. It exchanges the credentials of the settings for a token when the
 * server asks for one. The token is kept for this run only.
 */
async function makeMachineAuth(
  oauth: Exclude<OAuthSettings, {grant: 'authorization-code'}>,
  {fetch, learnSecret}: {readonly fetch: FetchLike; readonly learnSecret: (secret: string) => void},
): Promise<OAuthClientProvider> {
  const {ClientCredentialsProvider, CrossAppAccessProvider, PrivateKeyJwtProvider, requestJwtAuthorizationGrant} =
    await import('@modelcontextprotocol/client');
  const bound = oauth.issuer === undefined ? {} : {expectedIssuer: oauth.issuer};
  switch (oauth.grant) {
    case 'client-credentials': {
      const {clientId, proof} = oauth;
      const scope = oauth.scope === undefined ? {} : {scope: oauth.scope};
      if (proof.kind === 'secret') {
        learnSecret(proof.secret);
        return new ClientCredentialsProvider({
          clientId,
          clientSecret: proof.secret,
          clientName: 'weft',
          ...scope,
          ...bound,
        });
      }
      learnSecret(proof.pem);
      const {pem: privateKey, algorithm} = proof;
      return new PrivateKeyJwtProvider({clientId, privateKey, algorithm, clientName: 'weft', ...scope, ...bound});
    }
    case 'enterprise': {
      const {clientId, clientSecret, identityProvider} = oauth;
      for (const secret of [clientSecret, identityProvider.idToken, identityProvider.clientSecret ?? '']) {
        if (secret !== '') learnSecret(secret);
      }
      return new CrossAppAccessProvider({
        clientId,
        clientSecret,
        clientName: 'weft',
        fetchFn: fetch,
        ...bound,
        async assertion({authorizationServerUrl, resourceUrl, scope}) {
          const {tokenUrl, idToken} = identityProvider;
          const {jwtAuthGrant} = await requestJwtAuthorizationGrant({
            tokenEndpoint: tokenUrl,
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken,
            clientId: identityProvider.clientId,
            ...(identityProvider.clientSecret === undefined ? {} : {clientSecret: identityProvider.clientSecret}),
            ...(scope === undefined ? {} : {scope}),
            fetchFn: fetch,
          });
          return jwtAuthGrant;
        },
      });
    }
    default:
      return unreachable(oauth);
  }
}

/** The longest answer from an authorization server, in bytes. Metadata and tokens are small. */
const maxBytes = 1024 * 1024;
const limitMs = 30_000;

/**
 * Returns a `fetch` for OAuth requests. Each request has at most 30 seconds, each answer has at most 1 MiB, and an
 * abort of `signal` ends the request. It follows no redirect: a code, a secret or a token goes only to the address in
 * the metadata.
 */
export const oauthFetch =
  (request: FetchLike, signal: AbortSignal): FetchLike =>
  async (url, init) => {
    const response = await request(url, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
    });
    const body = await readBoundedBody(response);
    const {status, statusText, headers} = response;
    return new Response(hasNoBody.has(status) ? null : body, {status, statusText, headers});
  };

const hasNoBody: ReadonlySet<number> = new Set([101, 204, 205, 304]);

async function readBoundedBody(response: Response): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw new Error('the answer of the authorization server is too long');
    parts.push(new Uint8Array(part));
  }
  return new Blob(parts);
}

/** The credentials of a connection, and the `fetch` for all its requests. */
export interface Authorization {
  readonly authProvider: AuthProvider | OAuthClientProvider;
  readonly fetch: FetchLike;
}

/** Tokens are refreshed this long before they expire, because clocks differ and requests take time. */
const refreshEarlyMs = 30_000;

class SessionAuth implements AuthProvider {
  readonly #server: OAuthServer;
  readonly #deps: OAuthDeps;
  readonly #signal: AbortSignal;
  readonly #key: string;
  #current: ServerCredential | 'unread' | undefined = 'unread';
  #refreshing: Promise<ServerCredential | undefined> | undefined;

  constructor(server: OAuthServer, deps: OAuthDeps, signal: AbortSignal) {
    this.#server = server;
    this.#deps = deps;
    this.#signal = signal;
    this.#key = serverKey(server.url);
  }

  async token(): Promise<string | undefined> {
    const credential = this.#current === 'unread' ? await this.#read() : this.#current;
    if (credential === undefined) return undefined;
    const isStale = credential.expiresAt > 0 && credential.expiresAt - refreshEarlyMs <= this.#deps.now();
    if (!isStale || credential.refreshToken === '') return credential.accessToken;
    // The old token may still work; if not, the server says so.
    const fresh = await this.#refresh(credential, emptyChallenge).catch(() => undefined);
    return (fresh ?? credential).accessToken;
  }

  async onUnauthorized({response}: {readonly response: Response}): Promise<void> {
    const {extractWWWAuthenticateParams} = await import('@modelcontextprotocol/client');
    const {resourceMetadataUrl, scope} = extractWWWAuthenticateParams(response);
    const challenge: AuthChallenge = {resourceMetadataUrl, scope};
    const refused = this.#current === 'unread' ? undefined : this.#current;
    // Another weft process may have refreshed the token, or the user just signed in.
    const kept = await this.#read();
    if (kept !== undefined && kept.accessToken !== refused?.accessToken) return;
    const fresh = kept === undefined || kept.refreshToken === '' ? undefined : await this.#refresh(kept, challenge);
    if (fresh === undefined) throw new SignInNeeded(this.#server.name, {challenge, why: 'no-token'});
  }

  async #read(): Promise<ServerCredential | undefined> {
    const credential = await this.#deps.credentials.read(this.#key);
    if (credential !== undefined) for (const secret of secretsOf(credential)) this.#deps.learnSecret(secret);
    this.#current = credential;
    return credential;
  }

  /**
   * Refreshes the token. Resolves with `undefined` if the authorization server refuses, or if another one is
   * responsible now. Rejects if the server can't be reached.
   */
  #refresh(credential: ServerCredential, challenge: AuthChallenge): Promise<ServerCredential | undefined> {
    const {credentials} = this.#deps;
    const refresh = async (): Promise<ServerCredential | undefined> => {
      // Another weft process may have been first, and many authorization servers treat a second use of a refresh token
      // as theft.
      const kept = await this.#read();
      return kept?.refreshToken === credential.refreshToken && kept.accessToken === credential.accessToken
        ? this.#refreshNow(credential, challenge)
        : kept;
    };
    return (this.#refreshing ??= credentials.alone(this.#key, refresh, this.#signal).finally(() => {
      this.#refreshing = undefined;
    }));
  }

  async #refreshNow(credential: ServerCredential, challenge: AuthChallenge): Promise<ServerCredential | undefined> {
    const {fetchFor, now, learnSecret, credentials} = this.#deps;
    const fresh = await refreshCredential(credential, {
      url: this.#server.url,
      challenge,
      fetch: oauthFetch(fetchFor(this.#server.url), this.#signal),
      now,
    });
    if (fresh === undefined) return undefined;
    for (const secret of secretsOf(fresh)) learnSecret(secret);
    this.#current = fresh;
    const written = await credentials.write(this.#key, fresh);
    // The old token may be invalid now, so explain why the next start asks for a sign-in.
    if (written.tag === 'failed') throw new Error(`can't save the new token: ${faultText(written.error)}`);
    return fresh;
  }
}

async function refreshCredential(
  credential: ServerCredential,
  given: {
    readonly url: URL;
    readonly challenge: AuthChallenge;
    readonly fetch: FetchLike;
    readonly now: () => number;
  },
): Promise<ServerCredential | undefined> {
  const {discoverOAuthServerInfo, OAuthError, OAuthErrorCode, refreshAuthorization} =
    await import('@modelcontextprotocol/client');
  const {challenge, fetch, now, url} = given;
  const {resourceMetadataUrl: kept} = credential;
  const place = challenge.resourceMetadataUrl ?? (kept === '' ? undefined : new URL(kept));
  try {
    const info = await discoverOAuthServerInfo(url, {
      fetchFn: fetch,
      ...(place === undefined ? {} : {resourceMetadataUrl: place}),
    });
    const metadata = info.authorizationServerMetadata;
    const issuer = metadata?.issuer ?? info.authorizationServerUrl;
    if (!isSameIssuer(issuer, credential.issuer)) return undefined;
    const tokens = await refreshAuthorization(info.authorizationServerUrl, {
      ...(metadata === undefined ? {} : {metadata}),
      clientInformation: {...registeredClient(credential), redirect_uris: []},
      refreshToken: credential.refreshToken,
      ...(credential.resource === '' ? {} : {resource: credential.resource}),
      fetchFn: fetch,
    });
    return {
      ...credential,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? credential.refreshToken,
      expiresAt: expiryOf(tokens.expires_in, now()),
      scope: tokens.scope ?? credential.scope,
    };
  } catch (cause) {
    // A server error may be temporary, but a refusal is final.
    const trouble: string = OAuthErrorCode.ServerError;
    if (cause instanceof OAuthError && cause.code !== trouble) return undefined;
    throw new Error(`can't refresh the token: ${causeText(cause)}`, {cause});
  }
}

/** Returns when a token expires, or 0 if the server does not say. */
export const expiryOf = (seconds: number | undefined, now: number): number =>
  seconds === undefined ? 0 : now + seconds * 1000;

/** True if two issuers are equal, except for a slash at the end. */
export const isSameIssuer = (one: string, other: string): boolean =>
  one.replace(/\/$/u, '') === other.replace(/\/$/u, '');
