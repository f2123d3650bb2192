import {pluralize} from '../../../base/clip.ts';
import {visibleExactLine} from '../../../base/visible.ts';
import {serverKey} from '../../../extensions/mcp/oauth/session-auth.ts';
import type {SignInLink} from '../../../extensions/mcp/oauth/sign-in.ts';
import {revokeCredential} from '../../../extensions/mcp/oauth/sign-out.ts';
import {expandConfig} from '../../../extensions/mcp/server-config.ts';
import {openLink} from '../../../workspace/open-link.ts';
import {requireOutsideWeft} from '../../../app/folder-trust.ts';
import {type KnownServer, serverNamed} from '../../../app/known-servers.ts';
import {existingFolder} from '../../../app/run-context.ts';
import {oauthDeps, oauthServer} from '../../../app/server-authorization.ts';
import {signInServer, unansweredText} from '../../../app/sign-in-server.ts';
import {exitCode, type ExitCode, unwrap, UsageError} from '../../../app/exit-code.ts';
import type {FolderOption} from '../../../app/main-options.ts';
import {note, printError} from '../../../app/output.ts';
import {typedLines} from '../../read-lines.ts';
import {onSignal} from '../../signals.ts';

export interface LoginOptions extends FolderOption {
  readonly oauthScope?: string;
}

const revokeMs = 10_000;

/** `weft mcp login`: signs in to a server in the browser, and reports whether the server answers afterwards. */
export async function login(name: string, {cwd, oauthScope}: LoginOptions): Promise<ExitCode> {
  await requireOutsideWeft('Signing in to an MCP server');
  const directory = existingFolder(cwd ?? '.');
  const {given, server} = await httpServer(name, directory);
  if (server.oauth.grant !== 'authorization-code') {
    throw new UsageError(`weft signs in to ${name} with the credentials in its configuration. There is nothing to do.`);
  }
  const stop = new AbortController();
  onSignal('SIGINT', () => stop.abort(new Error('interrupted')));
  onSignal('SIGTERM', () => stop.abort(new Error('interrupted')));
  const end = unwrap(
    await signInServer(
      {target: {name, config: given, directory}, moreScope: oauthScope},
      {
        ...oauthDeps(() => {}),
        offerLink: link => void offerLink(link, {name, directory}),
        async *typedLines(signal) {
          if (process.stdin.isTTY) yield* typedLines(signal);
        },
      },
      stop.signal,
    ),
  );
  if (end.kind === 'not-needed') {
    note(`${name} needs no sign-in`);
    return exitCode.done;
  }
  const {place, check} = end;
  note(`signed in to ${name}; saved in ${place}`);
  if (check.status !== 'connected') throw new Error(`${name} does not answer yet: ${unansweredText(check)}`);
  note(`${name} answers: ${pluralize(check.tools, 'tool')}`);
  return exitCode.done;
}

/** Shows the link and opens it in the browser. The link is always shown, because the wrong browser may open. */
async function offerLink(
  {url, host, redirectUrl}: SignInLink,
  {name, directory}: {readonly name: string; readonly directory: string},
): Promise<void> {
  note(`sign in to ${visibleExactLine(name)} at ${host}:`);
  printError(`\n  ${visibleExactLine(url)}\n\n`);
  const opened = await openLink(url, {platform: process.platform, environment: process.env, roots: [directory]});
  const words = opened === 'opened' ? 'your browser is opening it; waiting' : 'open it in a browser; waiting';
  const elsewhere = process.stdin.isTTY ? ` If a page at ${redirectUrl} does not load, paste its address here.` : '';
  note(`${words} (5 minutes).${elsewhere}`);
}

/** `weft mcp logout`: deletes the tokens, and revokes them if the authorization server supports it. */
export async function logout(name: string, {cwd}: FolderOption): Promise<ExitCode> {
  await requireOutsideWeft('Signing out of an MCP server');
  const {credentials, fetchFor} = oauthDeps(() => {});
  const address = /^https?:\/\//u.test(name) ? URL.parse(name) : null;
  const url = address ?? (await httpServer(name, existingFolder(cwd ?? '.'))).server.url;
  const key = serverKey(url);
  if (!credentials.urls().includes(key)) {
    note(`you are not signed in to ${visibleExactLine(name)}`);
    return exitCode.failed;
  }
  const place = credentials.placeText(key) ?? '';
  const credential = await credentials.read(key);
  unwrap(await credentials.forget(key));
  note(`removed the sign-in to ${visibleExactLine(name)} from ${place}`);
  if (credential === undefined) return exitCode.done;
  const revoked = await revokeCredential({url, credential}, fetchFor(url), AbortSignal.timeout(revokeMs));
  if (revoked === 'revoked') note(`revoked its tokens at ${new URL(credential.issuer).host}`);
  else if (revoked === 'not-offered') note("the server can't revoke its tokens: they stay valid until they expire");
  else note(`can't revoke its tokens, so they stay valid until they expire: ${revoked.failed}`);
  return exitCode.done;
}

async function httpServer(name: string, directory: string) {
  const known = await serverNamed(name, directory);
  requireCounting(known);
  if (known.config.tag === 'failed') throw new Error(`${name} in ${known.path}: ${known.config.error}.`);
  const given = known.config.value;
  const expanded = expandConfig(given, process.env);
  if (expanded.tag === 'failed') throw new Error(`${name}: ${expanded.error}.`);
  const server = oauthServer(name, expanded.value);
  if (server.tag === 'failed') throw new Error(`${name} in ${known.path}: ${server.error}.`);
  if (server.value === undefined) throw new UsageError(`${name} is a program on this machine and needs no sign-in.`);
  return {given, server: server.value};
}

function requireCounting({name, path, standing, untrustedReason}: KnownServer): void {
  if (standing !== 'untrusted') return;
  throw new Error(`${name} in ${path} is not trusted, so weft does not call it: ${untrustedReason}`);
}
