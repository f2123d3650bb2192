import {InsufficientScopeError, SdkHttpError, UnauthorizedError} from '@modelcontextprotocol/client';
import {noChallenge, SignInNeeded} from './sign-in-needed.ts';

/** What an error of a connection says of signing in, however it was wrapped on its way; `undefined` where it says nothing of that. */
export function signInNeededIn(cause: unknown, server: string): SignInNeeded | undefined {
  let at = cause;
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if (at instanceof SignInNeeded) return at;
    if (at instanceof InsufficientScopeError) {
      const challenge = {resourceMetadataUrl: at.resourceMetadataUrl, scope: at.requiredScope};
      return new SignInNeeded(server, {challenge, why: 'more-scope'});
    }
    // A token that is new and refused all the same.
    if (at instanceof UnauthorizedError || (at instanceof SdkHttpError && at.status === 401)) {
      return new SignInNeeded(server, {challenge: noChallenge, why: 'no-token'});
    }
    at = at.cause;
  }
  return undefined;
}
