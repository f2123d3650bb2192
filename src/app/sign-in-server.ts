import {failed, ok, type Outcome} from '../base/outcome.ts';
import {visibleExactLine} from '../base/visible.ts';
import {type Fault, faultText, rejected} from '../domain/fault.ts';
import {signIn, type SignInDeps} from '../extensions/mcp/oauth/sign-in.ts';
import {noChallenge} from '../extensions/mcp/oauth/sign-in-needed.ts';
import {expandConfig} from '../extensions/mcp/server-config.ts';
import type {OAuthDeps} from '../extensions/mcp/oauth/session-auth.ts';
import {openLink} from '../workspace/open-link.ts';
import {type CheckedServer, type ServerCheck, serverChecker} from './check-server.ts';
import {oauthDeps, oauthServer} from './server-authorization.ts';

/** What a sign-in came to. `check` is how the server answers with the new token, which is kept at `place`. */
export type SignInEnd =
  | {readonly kind: 'not-needed'}
  | {readonly kind: 'signed-in'; readonly place: string; readonly check: ServerCheck};

/** How long the user has to sign in, and a server to answer, in milliseconds. */
const signInMs = 300_000;
const checkMs = 30_000;

/**
 * Signs the user in to a server in the browser: asks it what it wants, offers the link, keeps the token, and sees whether the server
 * takes it. `moreScope` asks again where the user is signed in. The fault says why it could not be done.
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
  if (server === undefined)
    return failed(rejected(`${name} is a program on this machine: there is nothing to sign in to.`));
  const {oauth} = server;
  if (oauth.grant !== 'authorization-code') {
    return failed(rejected(`${name} has credentials in its configuration: weft signs in to it by itself.`));
  }
  const withoutToken = {...deps, credentials: {...deps.credentials, read: async () => undefined}};
  const first = await checkOnce(target, withoutToken, signal);
  if (first.status === 'failed') return failed(rejected(`${name} does not answer: ${first.error}`));
  if (first.status === 'connected' && moreScope === undefined) return ok({kind: 'not-needed'});
  const challenge = first.status === 'needs-sign-in' ? first.cause.challenge : noChallenge;
  const limit = new AbortController();
  const late = setTimeout(
    () => limit.abort(new Error(`nobody signed in within ${signInMs / 60_000} minutes`)),
    signInMs,
  );
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

/** Why a server does not answer although the user has signed in to it. */
export const stillRefused = (check: Exclude<ServerCheck, {readonly status: 'connected'}>): string =>
  check.status === 'failed' ? check.error : 'it refuses the new token';

/** Signs the user in while a session goes on; `say` hears the link, which the browser opens where there is one. */
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
      // A person at a terminal UI types prompts; `weft mcp login` takes the address of a page that did not load.
      async *typedLines() {},
    },
    signal,
  );
  if (end.tag === 'failed') return failed(faultText(end.error));
  if (end.value.kind === 'not-needed') return ok(`${name} needs no sign-in`);
  const {place, check} = end.value;
  return check.status === 'connected'
    ? ok(`Signed in to ${name}; kept in ${place}`)
    : failed(`${name} does not answer yet: ${stillRefused(check)}`);
}
