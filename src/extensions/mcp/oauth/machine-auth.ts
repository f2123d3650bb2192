import type {FetchLike, OAuthClientProvider} from '@modelcontextprotocol/client';
import {unreachable} from '../../../base/unreachable.ts';
import type {OAuthSettings} from './oauth-settings.ts';

/**
 * For servers that no person signs in to: the credentials of the settings are exchanged for a token when the server asks for one. The
 * token is kept for this run only.
 */
export async function machineAuth(
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
