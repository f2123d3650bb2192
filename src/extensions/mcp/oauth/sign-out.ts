import type {FetchLike} from '@modelcontextprotocol/client';
import {isJsonList, isJsonObject} from '../../../base/json.ts';
import {registeredClient, type ServerCredential} from '../../../config/server-credentials.ts';
import {causeText} from '../../../domain/fault.ts';
import {isSameIssuer, oauthFetch} from './session-auth.ts';
import {isSecure} from './sign-in.ts';

/** How a revocation ended. `not-offered`: the authorization server does not support it. */
export type RevocationOutcome = 'revoked' | 'not-offered' | {readonly failed: string};

/** Revokes the tokens at the authorization server that issued them (RFC 7009). */
export async function revokeCredential(
  {url, credential}: {readonly url: URL; readonly credential: ServerCredential},
  fetch: FetchLike,
  signal: AbortSignal,
): Promise<RevocationOutcome> {
  const {discoverOAuthServerInfo, selectClientAuthMethod} = await import('@modelcontextprotocol/client');
  const fetchFn = oauthFetch(fetch, signal);
  try {
    const {resourceMetadataUrl, refreshToken, accessToken} = credential;
    const info = await discoverOAuthServerInfo(url, {
      fetchFn,
      ...(resourceMetadataUrl === '' ? {} : {resourceMetadataUrl: new URL(resourceMetadataUrl)}),
    });
    const {authorizationServerMetadata: metadata, authorizationServerUrl} = info;
    if (!isSameIssuer(metadata?.issuer ?? authorizationServerUrl, credential.issuer)) {
      return {failed: 'a different authorization server is responsible now'};
    }
    const {address, methods} = revocationOf(metadata);
    const endpoint = address === undefined ? null : URL.parse(address);
    if (endpoint === null) return 'not-offered';
    if (!isSecure(endpoint)) return {failed: 'its address is not encrypted'};
    const client = registeredClient(credential);
    const method = selectClientAuthMethod(client, methods);
    const tokens = [
      ['refresh_token', refreshToken],
      ['access_token', accessToken],
    ] as const;
    const answers = await Promise.all(
      tokens.flatMap(([hint, token]) =>
        token === ''
          ? []
          : [fetchFn(endpoint, {method: 'POST', ...makeRevocationRequest({token, hint}, {...client, method})})],
      ),
    );
    const refused = answers.find(({ok}) => !ok);
    return refused === undefined ? 'revoked' : {failed: `it answered with status ${refused.status}`};
  } catch (cause) {
    return {failed: causeText(cause)};
  }
}

/** Returns where a server revokes tokens, and how clients authenticate there. */
function revocationOf(metadata: unknown): {readonly address: string | undefined; readonly methods: string[]} {
  if (!isJsonObject(metadata)) return {address: undefined, methods: []};
  const {revocation_endpoint: address, revocation_endpoint_auth_methods_supported: known} = metadata;
  return {
    address: typeof address === 'string' ? address : undefined,
    methods: isJsonList(known) ? known.filter(method => typeof method === 'string') : [],
  };
}

function makeRevocationRequest(
  {token, hint}: {readonly token: string; readonly hint: string},
  client: ReturnType<typeof registeredClient> & {readonly method: string},
): {readonly headers: Record<string, string>; readonly body: URLSearchParams} {
  const body = new URLSearchParams({token, token_type_hint: hint});
  const {client_id: id, client_secret: secret} = client;
  if (client.method === 'client_secret_basic' && secret !== undefined) {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    return {headers: {Authorization: `Basic ${Buffer.from(pair).toString('base64')}`}, body};
  }
  body.set('client_id', id);
  if (secret !== undefined) body.set('client_secret', secret);
  return {headers: {}, body};
}
