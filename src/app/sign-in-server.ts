import {failed, ok, type Outcome} from '../base/outcome.ts';
import {visibleExactLine} from '../base/visible.ts';
import {type Fault, faultText, rejected} from '../domain/fault.ts';
import {signIn, type SignInDeps} from '../extensions/mcp/oauth/sign-in.ts';
import {emptyChallenge} from '../extensions/mcp/oauth/sign-in-needed.ts';
import {expandConfig} from '../extensions/mcp/server-config.ts';
import type {OAuthDeps} from '../extensions/mcp/oauth/session-auth.ts';
import {openLink} from '../workspace/open-link.ts';
import {type CheckedServer, type ServerCheck, serverChecker} from './check-server.ts';
import {oauthDeps, oauthServer} from './server-authorization.ts';

/** The result of a sign-in. `check` is the server's answer with the new token, which is saved at `place`. */
export type SignInEnd =
  | {readonly kind: 'not-needed'}
  | {readonly kind: 'signed-in'; readonly place: string; readonly check: ServerCheck};

/** The time limits for the user to sign in, and for a server to answer, in milliseconds. */
const signInMs = 300_000;
const checkMs = 30_000;

/**
 * Signs the user in to a server in the browser: asks the server what it needs, shows the link, saves the token, and checks whether the
 * server accepts it. With `moreScope` it asks again even if the user is signed in. The fault says what failed.
 */
export async function signInServer(
  {target, moreScope}: {readonly target: CheckedServer; readonly moreScope: string | undefined},
  deps: SignInDeps,
  signal: AbortSignal,
): Promise<Outcome<SignInEnd, Fault>> {
  const {name} = target;
  const expanded = expandConfig(target.config, process.env);
  if (expanded.tag === 'failed') return failed(rejected(`${name}: ${expanded.error}.`));
  const found = oauthServer(name, expanded.value);
  if (found.tag === 'failed') return failed(rejected(`${name}: ${found.error}.`));
  const server = found.value;
  if (server === undefined) return failed(rejected(`${name} is a program on this machine and needs no sign-in.`));
  const {oauth} = server;
  if (oauth.grant !== 'authorization-code') {
    return failed(
      rejected(`weft signs in to ${name} with the credentials in its configuration. There is nothing to do.`),
    );
  }
  const withoutToken = {...deps, credentials: {...deps.credentials, read: async () => undefined}};
  const first = await checkOnce(target, withoutToken, signal);
  if (first.status === 'failed') return failed(rejected(`${name} does not answer: ${first.error}`));
  if (first.status === 'connected' && moreScope === undefined) return ok({kind: 'not-needed'});
  const challenge = first.status === 'needs-sign-in' ? first.cause.challenge : emptyChallenge;
  const limit = new AbortController();
  const late = setTimeout(() => limit.abort(new Error(`no sign-in within ${signInMs / 60_000} minutes`)), signInMs);
  late.unref();
  try {
    const until = AbortSignal.any([signal, limit.signal]);
    const signedIn = await signIn({server: {...server, oauth}, challenge, moreScope}, deps, until);
    if (signedIn.tag === 'failed') return signedIn;
    const check = await checkOnce(target, deps, signal);
    return ok({kind: 'signed-in', place: signedIn.value.place, check});
  } finally {
    clearTimeout(late);
  }
}

async function checkOnce(server: CheckedServer, deps: OAuthDeps, signal: AbortSignal): Promise<ServerCheck> {
  const checker = await serverChecker(deps, signal);
  try {
    return await checker.check(server, checkMs);
  } finally {
    await checker.close();
  }
}

/** Returns why a server does not answer although the user has signed in. */
export const unansweredText = (check: Exclude<ServerCheck, {readonly status: 'connected'}>): string =>
  check.status === 'failed' ? check.error : 'it rejects the new token';

/** Signs the user in during a session. Passes the link to `say` and opens it in a browser, if there is one. */
export async function signInSession(
  target: CheckedServer,
  hears: {readonly say: (line: string) => void; readonly learnSecret: (secret: string) => void},
  signal: AbortSignal,
): Promise<Outcome<string, string>> {
  const {name, directory} = target;
  const end = await signInServer(
    {target, moreScope: undefined},
    {
      ...oauthDeps(hears.learnSecret),
      offerLink({url, host}) {
        hears.say(`Sign in to ${visibleExactLine(name)} at ${host}: ${visibleExactLine(url)}`);
        void openLink(url, {platform: process.platform, environment: process.env, roots: [directory]});
      },
      // In the terminal UI, typed lines are prompts. Only `weft mcp login` accepts the address of a page that did not load.
      async *typedLines() {},
    },
    signal,
  );
  if (end.tag === 'failed') return failed(faultText(end.error));
  if (end.value.kind === 'not-needed') return ok(`${name} needs no sign-in`);
  const {place, check} = end.value;
  return check.status === 'connected'
    ? ok(`Signed in to ${name}; saved in ${place}`)
    : failed(`${name} does not answer yet: ${unansweredText(check)}`);
}
