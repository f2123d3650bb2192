import {ok} from '../../src/base/outcome.ts';
import type {ServerCredential} from '../../src/config/server-credentials.ts';
import {defaultOAuthSettings} from '../../src/extensions/mcp/oauth/oauth-settings.ts';
import type {CredentialStore, OAuthDeps} from '../../src/extensions/mcp/oauth/session-auth.ts';
import {signIn, type SignInDeps, type SignInRequest} from '../../src/extensions/mcp/oauth/sign-in.ts';
import {emptyChallenge} from '../../src/extensions/mcp/oauth/sign-in-needed.ts';

/** A store of credentials in memory. */
export function memoryCredentials(): CredentialStore & {readonly kept: Map<string, ServerCredential>} {
  const kept = new Map<string, ServerCredential>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    kept,
    read: async url => kept.get(url),
    async write(url, credential) {
      kept.set(url, credential);
      return ok('memory');
    },
    async forget(url) {
      kept.delete(url);
      return ok(undefined);
    },
    alone(_url, work) {
      const next = last.then(work);
      last = next.catch(() => {});
      return next;
    },
  };
}

/** A browser that opens the link, agrees to everything, and goes wherever it is sent. */
export async function browse(url: string): Promise<void> {
  await (await fetch(url)).text();
}

/** Dependencies for a user with a browser; `visit` is what the user does with the link. */
export function userAtBrowser(
  credentials: CredentialStore,
  visit: (url: string, redirectUrl: string) => void = url => void browse(url),
): SignInDeps & OAuthDeps & {readonly secrets: Set<string>; readonly links: string[]} {
  const secrets = new Set<string>();
  const links: string[] = [];
  return {
    secrets,
    links,
    credentials,
    fetchFor: () => (url, init) => fetch(url, init),
    now: () => 1_000_000,
    learnSecret: secret => void secrets.add(secret),
    offerLink({url, redirectUrl}) {
      links.push(url);
      visit(url, redirectUrl);
    },
    async *typedLines() {},
  };
}

/** Signs in to the server at this address with what a server without settings gets. */
export const signInTo = (
  url: string,
  deps: SignInDeps,
  more: Partial<Omit<SignInRequest, 'server'>> & {readonly oauth?: SignInRequest['server']['oauth']} = {},
  signal: AbortSignal = AbortSignal.timeout(10_000),
): ReturnType<typeof signIn> => {
  const {oauth = asUser, challenge = emptyChallenge, moreScope} = more;
  return signIn({server: {name: 'protected', url: new URL(url), oauth}, challenge, moreScope}, deps, signal);
};

const asUser: SignInRequest['server']['oauth'] =
  defaultOAuthSettings.grant === 'authorization-code'
    ? defaultOAuthSettings
    : {
        grant: 'authorization-code',
        client: {kind: 'registers', metadataUrl: undefined},
        callbackPort: undefined,
        scope: undefined,
      };
