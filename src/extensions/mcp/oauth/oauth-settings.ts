import * as z from 'zod/mini';
import type {Json} from '../../../base/json.ts';
import {failed, ok, type Outcome} from '../../../base/outcome.ts';
import {unreachable} from '../../../base/unreachable.ts';

/** How weft authenticates to an authorization server, from the member `oauth` of an HTTP server's configuration. */
export type OAuthSettings =
  | {
      readonly grant: 'authorization-code';
      readonly client: OAuthClient;
      /** The port on 127.0.0.1 for the browser's redirect, or `undefined` for any free one. */
      readonly callbackPort: number | undefined;
      readonly scope: string | undefined;
    }
  | {
      readonly grant: 'client-credentials';
      readonly clientId: string;
      readonly proof: ClientProof;
      /** The only authorization server that may get the credentials, or `undefined` for the one that the MCP server names. */
      readonly issuer: string | undefined;
      readonly scope: string | undefined;
    }
  | {
      readonly grant: 'enterprise';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly issuer: string | undefined;
      readonly identityProvider: IdentityProvider;
    };

/**
 * The OAuth client that users sign in with. It is either registered already, or weft registers itself at sign-in or
 * points to a metadata document about itself.
 */
type OAuthClient =
  | {readonly kind: 'registers'; readonly metadataUrl: string | undefined}
  | {readonly kind: 'registered'; readonly id: string; readonly secret: string | undefined};

type ClientProof =
  | {readonly kind: 'secret'; readonly secret: string}
  | {readonly kind: 'private-key'; readonly pem: string; readonly algorithm: string};

/** The company's identity provider. It exchanges the user's token for one for the MCP server (SEP-990). */
type IdentityProvider = Readonly<z.infer<typeof identityProvider>>;

/** The settings of a server without `oauth`: weft registers itself when the user signs in. */
export const defaultOAuthSettings: OAuthSettings = {
  grant: 'authorization-code',
  client: {kind: 'registers', metadataUrl: undefined},
  callbackPort: undefined,
  scope: undefined,
};

const text = z.string().check(z.minLength(1));
const httpsUrl = z.url({protocol: /^https$/u});
const identityProvider = z.object({
  tokenUrl: z.url({protocol: /^https?$/u}),
  clientId: text,
  clientSecret: z.optional(text),
  idToken: text,
});
const schema = z.object({
  grantType: z.optional(
    z.enum(['authorization_code', 'client_credentials', 'urn:ietf:params:oauth:grant-type:jwt-bearer']),
  ),
  clientId: z.optional(text),
  clientSecret: z.optional(text),
  clientMetadataUrl: z.optional(httpsUrl),
  callbackPort: z.optional(z.int().check(z.minimum(1), z.maximum(65_535))),
  scope: z.optional(text),
  issuer: z.optional(z.url({protocol: /^https?$/u})),
  privateKey: z.optional(text),
  algorithm: z.optional(text),
  identityProvider: z.optional(identityProvider),
});

/** Reads the member `oauth` of a server after its variables are filled in. The error says what is wrong, without values. */
export function parseOAuthSettings(json: Json | undefined): Outcome<OAuthSettings, string> {
  if (json === undefined) return ok(defaultOAuthSettings);
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
    return failed(where === '' ? '"oauth" must be an object' : `"oauth.${where}" is invalid`);
  }
  const {clientId, clientSecret, issuer, scope, privateKey, identityProvider: provider} = parsed.data;
  const grant = parsed.data.grantType ?? 'authorization_code';
  switch (grant) {
    case 'authorization_code':
      return ok({
        grant: 'authorization-code',
        client:
          clientId === undefined
            ? {kind: 'registers', metadataUrl: parsed.data.clientMetadataUrl}
            : {kind: 'registered', id: clientId, secret: clientSecret},
        callbackPort: parsed.data.callbackPort,
        scope,
      });
    case 'client_credentials': {
      const proof: ClientProof | undefined =
        privateKey !== undefined
          ? {kind: 'private-key', pem: privateKey, algorithm: parsed.data.algorithm ?? 'ES256'}
          : clientSecret !== undefined
            ? {kind: 'secret', secret: clientSecret}
            : undefined;
      if (clientId === undefined || proof === undefined) {
        return failed('"oauth" with client_credentials needs "clientId", and "clientSecret" or "privateKey"');
      }
      return ok({grant: 'client-credentials', clientId, proof, issuer, scope});
    }
    case 'urn:ietf:params:oauth:grant-type:jwt-bearer': {
      if (clientId === undefined || clientSecret === undefined || provider === undefined) {
        return failed('"oauth" with jwt-bearer needs "clientId", "clientSecret" and "identityProvider"');
      }
      return ok({grant: 'enterprise', clientId, clientSecret, issuer, identityProvider: provider});
    }
    default:
      return unreachable(grant);
  }
}
