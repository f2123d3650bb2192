import {clip} from '../../../base/clip.ts';

/** A server's hints on signing in, from its refusal. All of them are untrusted. */
export interface AuthChallenge {
  /** The address of the server's own metadata (RFC 9728), or `undefined` for the default one. */
  readonly resourceMetadataUrl: URL | undefined;
  readonly scope: string | undefined;
}

export const emptyChallenge: AuthChallenge = {resourceMetadataUrl: undefined, scope: undefined};

/** Thrown if the user has to sign in to a server, or grant it more permissions, before a request can succeed. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded';
  readonly challenge: AuthChallenge;
  readonly why: 'no-token' | 'more-scope';

  constructor(server: string, given: {readonly challenge: AuthChallenge; readonly why: 'no-token' | 'more-scope'}) {
    const command = `weft mcp login ${shellWord(server)}`;
    const scope = toShownScope(given.challenge.scope);
    super(
      given.why === 'more-scope' && scope !== ''
        ? `needs more permission (${scope}): ${command} --oauth-scope ${JSON.stringify(scope)}`
        : `needs sign-in: ${command}`,
    );
    this.why = given.why;
    this.challenge = given.challenge;
  }
}

/** Quotes the name of a server for a shell, because project files may give it any name. */
const shellWord = (name: string): string =>
  /^[\w.-]+$/u.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;

/** Keeps only the characters of a scope that RFC 6749 allows, so that it is safe to show and paste. */
const toShownScope = (scope: string | undefined): string =>
  clip((scope ?? '').replaceAll(/[^\w !#%&()*+,\-./:;<=>?@[\]^{|}~]/gu, ''), 300).trim();
