import {randomBytes} from 'node:crypto';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import {isJsonObject} from '../../../base/json.ts';
import {failed, ok, type Outcome} from '../../../base/outcome.ts';
import {registeredClient, secretsOf, type ServerCredential} from '../../../config/server-credentials.ts';
import {causeText, type Fault, rejected} from '../../../domain/fault.ts';
import type {OAuthSettings} from './oauth-settings.ts';
import {isAnswer, listenForRedirect, type RedirectListener} from './redirect-listener.ts';
import {expiryOf, isSameIssuer, oauthFetch, type OAuthDeps, type OAuthServer, serverKey} from './session-auth.ts';
import type {AuthChallenge} from './sign-in-needed.ts';

export interface SignInDeps extends OAuthDeps {
  /**
   * Shows the link that the user has to open, and opens it if a browser is available. The browser returns to
   * `redirectUrl`.
   */
  readonly offerLink: (link: SignInLink) => void;
  /**
   * The lines that the user types during the sign-in. If the browser runs on another machine, the user pastes the
   * address of the page that it could not show.
   */
  readonly typedLines: (signal: AbortSignal) => AsyncIterable<string>;
}

export interface SignInLink {
  /** An https address (or http on this machine), in ASCII and without user names. */
  readonly url: string;
  /** The host that asks for the password. */
  readonly host: string;
  readonly redirectUrl: string;
}

export interface SignInRequest {
  readonly server: OAuthServer & {readonly oauth: OAuthSettings & {readonly grant: 'authorization-code'}};
  /** The hints from the server's refusal. */
  readonly challenge: AuthChallenge;
  /** Permissions to add to those of the previous sign-in, or `undefined` for those that the server asks for. */
  readonly moreScope: string | undefined;
}

/**
 * Signs the user in to an MCP server with the authorization code flow. Its steps are discovery, registration if
 * needed, a link with PKCE and an unguessable state, the redirect to 127.0.0.1, and the exchange of the code. The
 * credential is stored only if every step succeeds. If `signal` aborts, its reason is the error.
 */
export async function signIn(
  request: SignInRequest,
  deps: SignInDeps,
  signal: AbortSignal,
): Promise<Outcome<{readonly place: string; readonly credential: ServerCredential}, Fault>> {
  const {server} = request;
  const key = serverKey(server.url);
  if (!isSecure(server.url)) {
    return failed(rejected(`${server.url.host} is not encrypted, so weft won't send a token to it.`));
  }
  const before = await deps.credentials.read(key);
  const opened = await openListener(server.oauth, before);
  if (opened.tag === 'failed') return opened;
  await using listener = opened.value;
  try {
    const credential = await authorize({...request, before, listener}, deps, signal);
    for (const secret of secretsOf(credential)) deps.learnSecret(secret);
    const written = await deps.credentials.write(key, credential);
    return written.tag === 'failed' ? written : ok({place: written.value, credential});
  } catch (cause) {
    return failed(
      rejected(
        `Signing in to ${server.name} failed: ${signal.aborted ? causeText(signal.reason) : await explainFailure(cause)}`,
      ),
    );
  }
}

type SignInSettings = SignInRequest['server']['oauth'];

/** Listens on the port of the settings, or the port of weft's previous registration, or any free port. */
async function openListener(
  {callbackPort: port}: SignInSettings,
  before: ServerCredential | undefined,
): Promise<Outcome<RedirectListener, Fault>> {
  if (port !== undefined) {
    const listener = await listenForRedirect(port);
    return listener.tag === 'ok'
      ? listener
      : failed(rejected(`Can't use port ${port} of 127.0.0.1: ${listener.error}`));
  }
  const known = registeredPort(before);
  const again = known === undefined ? undefined : await listenForRedirect(known);
  if (again?.tag === 'ok') return again;
  const listener = await listenForRedirect(0);
  return listener.tag === 'ok' ? listener : failed(rejected(`Can't listen on 127.0.0.1: ${listener.error}`));
}

function registeredPort(before: ServerCredential | undefined): number | undefined {
  const [address] = redirectUris(before?.client);
  const url = address === undefined ? undefined : URL.parse(address);
  return url?.hostname === '127.0.0.1' && url.port !== '' ? Number(url.port) : undefined;
}

function redirectUris(client: object | undefined): readonly string[] {
  const uris: unknown = isJsonObject(client) ? client['redirect_uris'] : undefined;
  return Array.isArray(uris) ? uris.filter(uri => typeof uri === 'string') : [];
}

async function authorize(
  request: SignInRequest & {readonly before: ServerCredential | undefined; readonly listener: RedirectListener},
  deps: SignInDeps,
  signal: AbortSignal,
): Promise<ServerCredential> {
  const {auth, computeScopeUnion, discoverOAuthServerInfo} = await import('@modelcontextprotocol/client');
  const {server, challenge, listener, before, moreScope} = request;
  const fetchFn = oauthFetch(deps.fetchFor(server.url), signal);
  const {resourceMetadataUrl: place} = challenge;
  const metadata = place === undefined ? {} : {resourceMetadataUrl: place};
  const discovery: OAuthDiscoveryState = {
    ...(await discoverOAuthServerInfo(server.url, {fetchFn, ...metadata})),
    ...(place === undefined ? {} : {resourceMetadataUrl: place.href}),
  };
  requireSecureEndpoints(discovery);
  const provider = new SignInProvider(server.oauth, {discovery, before, listener, learnSecret: deps.learnSecret});
  const scope =
    moreScope === undefined
      ? (server.oauth.scope ?? challenge.scope)
      : computeScopeUnion(before?.scope === '' ? undefined : before?.scope, challenge.scope, moreScope);
  const options = {serverUrl: server.url, fetchFn, ...metadata, ...(scope === undefined ? {} : {scope})};
  if ((await auth(provider, options)) === 'REDIRECT') {
    const {link} = provider;
    if (link === undefined) throw new Error('the authorization server gave no link');
    deps.offerLink({url: link.href, host: link.host, redirectUrl: listener.redirectUrl});
    const query = await firstAnswer(provider.stateText, {listener, typedLines: deps.typedLines}, signal);
    const error = query.get('error');
    if (error !== null) throw new Error(explainRefusal(error));
    const iss = query.get('iss');
    await auth(provider, {
      ...options,
      authorizationCode: query.get('code') ?? '',
      ...(iss === null ? {} : {iss}),
    });
  }
  return provider.credential(deps.now());
}

/** Resolves with the query of the browser's redirect, or of the address that the user pastes. */
export async function firstAnswer(
  state: string,
  {listener, typedLines}: Pick<SignInDeps, 'typedLines'> & {readonly listener: RedirectListener},
  signal: AbortSignal,
): Promise<URLSearchParams> {
  const done = new AbortController();
  const until = AbortSignal.any([signal, done.signal]);
  const pasted = async (): Promise<URLSearchParams> => {
    for await (const line of typedLines(until)) {
      const query = URL.parse(line.trim())?.searchParams;
      if (query !== undefined && isAnswer(query, state)) return query;
    }
    return listener.visited(state, until);
  };
  const visit = listener.visited(state, until);
  const typed = pasted();
  // `done` ends the slower one.
  visit.catch(() => {});
  typed.catch(() => {});
  try {
    return await Promise.race([visit, typed]);
  } finally {
    done.abort();
  }
}

interface Flow {
  readonly discovery: OAuthDiscoveryState;
  readonly before: ServerCredential | undefined;
  readonly listener: RedirectListener;
  readonly learnSecret: (secret: string) => void;
}

/** Provides the state of one sign-in to the MCP client library. Nothing is stored before the sign-in is complete. */
class SignInProvider implements OAuthClientProvider {
  readonly stateText = randomBytes(32).toString('base64url');
  readonly clientMetadataUrl?: string;
  link: URL | undefined;
  readonly #oauth: SignInSettings;
  readonly #flow: Flow;
  #discovery: OAuthDiscoveryState;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';
  #resource = '';

  constructor(oauth: SignInSettings, flow: Flow) {
    this.#oauth = oauth;
    this.#flow = flow;
    this.#discovery = flow.discovery;
    this.#client = knownClient(oauth, flow);
    const {client} = oauth;
    if (client.kind === 'registers' && client.metadataUrl !== undefined) this.clientMetadataUrl = client.metadataUrl;
  }

  get redirectUrl(): string {
    return this.#flow.listener.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const methods = this.#discovery.authorizationServerMetadata?.token_endpoint_auth_methods_supported;
    return {
      client_name: 'weft',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // A program on the user's machine can't keep a secret, but some servers only support clients that have one.
      ...(methods === undefined || methods.includes('none') ? {token_endpoint_auth_method: 'none'} : {}),
    };
  }

  state(): string {
    return this.stateText;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
    if ('client_secret' in client && client.client_secret !== undefined) this.#flow.learnSecret(client.client_secret);
  }

  /** Always `undefined`, because this sign-in must produce new tokens. */
  tokens(): StoredOAuthTokens | undefined {
    return undefined;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(link: URL): void {
    if (!isSecure(link) || link.username !== '' || link.password !== '') {
      throw new Error(`the authorization server sent an unsafe link (${link.protocol}//${link.host})`);
    }
    this.link = link;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveResourceUrl(url: string): void {
    this.#resource = url;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState {
    return this.#discovery;
  }

  invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if ((what === 'client' || what === 'all') && this.#oauth.client.kind === 'registers') this.#client = undefined;
  }

  credential(now: number): ServerCredential {
    const client: unknown = this.#client;
    if (this.#tokens === undefined || !isJsonObject(client)) throw new Error('the authorization server gave no token');
    const {access_token, refresh_token = '', expires_in, scope = '', token_type} = this.#tokens;
    if (token_type.toLowerCase() !== 'bearer')
      throw new Error('the authorization server gave a token of an unknown type');
    return {
      issuer: issuerOf(this.#discovery),
      client,
      accessToken: access_token,
      refreshToken: refresh_token,
      expiresAt: expiryOf(expires_in, now),
      scope,
      resource: this.#resource,
      resourceMetadataUrl: this.#discovery.resourceMetadataUrl ?? '',
    };
  }
}

const issuerOf = (discovery: OAuthDiscoveryState): string =>
  discovery.authorizationServerMetadata?.issuer ?? discovery.authorizationServerUrl;

/**
 * Returns the client of the settings, or the one that weft registered before at the same authorization server with
 * the same redirect URL.
 */
function knownClient(
  {client}: SignInSettings,
  {before, discovery, listener}: Flow,
): StoredOAuthClientInformation | undefined {
  if (client.kind === 'registered') {
    return {client_id: client.id, ...(client.secret === undefined ? {} : {client_secret: client.secret})};
  }
  if (before === undefined || !isSameIssuer(before.issuer, issuerOf(discovery))) return undefined;
  if (!redirectUris(before.client).includes(listener.redirectUrl)) return undefined;
  return {...registeredClient(before), redirect_uris: [listener.redirectUrl], issuer: before.issuer};
}

/** True for an encrypted address or one on this machine. Secrets go nowhere else. */
export function isSecure({protocol, hostname}: URL): boolean {
  if (protocol === 'https:') return true;
  return protocol === 'http:' && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(hostname);
}

function requireSecureEndpoints({
  authorizationServerUrl,
  authorizationServerMetadata: metadata,
}: OAuthDiscoveryState): void {
  const {authorization_endpoint, registration_endpoint, token_endpoint} = metadata ?? {};
  for (const address of [authorizationServerUrl, authorization_endpoint, registration_endpoint, token_endpoint]) {
    const url = address === undefined ? undefined : URL.parse(address);
    if (address !== undefined && (url === null || url === undefined || !isSecure(url))) {
      throw new Error('its authorization server has an unencrypted address');
    }
  }
}

/** Only error codes of RFC 6749 are repeated. Any other text may come from a server that the user does not expect. */
const explainRefusal = (error: string): string =>
  error === 'access_denied'
    ? 'you or the authorization server refused it'
    : /^[a-z_]{1,40}$/u.test(error)
      ? `the authorization server answered "${error}"`
      : 'the authorization server answered with an error';

async function explainFailure(cause: unknown): Promise<string> {
  const {IssuerMismatchError, RegistrationRejectedError} = await import('@modelcontextprotocol/client');
  if (cause instanceof IssuerMismatchError) {
    return 'the answer came from a different authorization server. weft sent nothing to it.';
  }
  if (cause instanceof RegistrationRejectedError) {
    return `its authorization server does not let weft register itself (status ${cause.status}). If you have a client id, set "oauth": {"clientId": …}.`;
  }
  return causeText(cause);
}
