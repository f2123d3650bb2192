import {clip} from '../../../base/clip.ts';

/** What a server that refuses a request says about signing in: all of it is the server's word. */
export interface AuthChallenge {
  /** Where the server's own metadata are (RFC 9728); `undefined` for the usual place. */
  readonly resourceMetadataUrl: URL | undefined;
  readonly scope: string | undefined;
}

export const noChallenge: AuthChallenge = {resourceMetadataUrl: undefined, scope: undefined};

/** The user has to sign in to a server, or to allow it more, before a request can succeed. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded';
  readonly challenge: AuthChallenge;
  readonly why: 'no-token' | 'more-scope';

  constructor(server: string, given: {readonly challenge: AuthChallenge; readonly why: 'no-token' | 'more-scope'}) {
    const command = `weft mcp login ${shellWord(server)}`;
    const scope = shownScope(given.challenge.scope);
    super(
      given.why === 'more-scope' && scope !== ''
        ? `needs more permission (${scope}): ${command} --oauth-scope ${JSON.stringify(scope)}`
        : `needs sign-in: ${command}`,
    );
    this.why = given.why;
    this.challenge = given.challenge;
  }
}

/** The name of a server as it is pasted into a shell: files of a project may give it any. */
const shellWord = (name: string): string =>
  /^[\w.-]+$/u.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;

/** A scope with the characters that RFC 6749 allows, so that it can be shown and pasted. */
const shownScope = (scope: string | undefined): string =>
  clip((scope ?? '').replaceAll(/[^\w !#%&()*+,\-./:;<=>?@[\]^{|}~]/gu, ''), 300).trim();
