import {createHash, randomBytes, randomUUID} from 'node:crypto';
import {dirname, join} from 'node:path';
import {isJsonObject, type JsonObject, objectOf, parseJson, textOf} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {changePrivateFile, readTextFile} from '../config/change-file.ts';
import type {Places} from '../config/places.ts';
import {causeText, type Fault, rejected, needsUser} from '../domain/fault.ts';
import {listenForRedirect} from '../extensions/mcp/oauth/redirect-listener.ts';
import {firstAnswer, type SignInDeps} from '../extensions/mcp/oauth/sign-in.ts';
import type {ApiKeys} from './api-keys.ts';
import {grantedSignIn, neededScope, openAiOrigins, requestTokens, apiResource, tokenFault} from './chatgpt-access.ts';

interface ChatGptSignInDeps extends Pick<SignInDeps, 'offerLink' | 'typedLines'> {
  readonly apiKeys: Pick<ApiKeys, 'keep'>;
  readonly places: Pick<Places, 'credentials'>;
  readonly environment: NodeJS.ProcessEnv;
}

/** The only port and path to which OpenAI's page returns. */
const port = 1455;
const path = '/auth/callback';

/** Milliseconds for the user to sign in. */
const signInMs = 300_000;

/**
 * Signs the user in to ChatGPT. The steps are a link with PKCE, a state and a nonce, the redirect to 127.0.0.1, and the
 * exchange of the code. weft keeps the sign-in only if every step succeeds. Returns where weft saved it. If `signal` aborts,
 * its reason is the error.
 */
export async function signInToChatGpt(deps: ChatGptSignInDeps, signal: AbortSignal): Promise<Outcome<string, Fault>> {
  const {apiKeys, environment, offerLink, typedLines} = deps;
  const {auth} = openAiOrigins(environment);
  const opened = await listenForRedirect(port, path);
  if (opened.tag === 'failed') {
    const isTaken = opened.error.includes('EADDRINUSE');
    return failed({
      kind: 'needs-user',
      message: isTaken
        ? `Port ${port} of 127.0.0.1 is in use, and ChatGPT's page returns to no other.`
        : `Can't listen on port ${port} of 127.0.0.1: ${opened.error}.`,
      fix: isTaken ? 'End the program that uses it, such as another sign-in or Codex, and try again.' : '',
    });
  }
  await using listener = opened.value;
  const client = await knownClient(deps.places);
  if (client.tag === 'failed') return client;
  const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
  const link = new URL(`${auth}/api/accounts/authorize`);
  link.search = new URLSearchParams({
    client_id: client.value.clientId || 'dynamic_agent_client',
    agent_name_hint: 'weft',
    ext_agent_host_id: `urn:uuid:${client.value.hostId}`,
    response_type: 'code',
    redirect_uri: listener.redirectUrl,
    resource: apiResource,
    scope: `openid profile email offline_access resource.invoke ${neededScope}`,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    nonce,
  }).toString();
  offerLink({url: link.href, host: link.host, redirectUrl: listener.redirectUrl});
  const limit = new AbortController();
  const late = setTimeout(() => limit.abort(new Error(`no sign-in within ${signInMs / 60_000} minutes`)), signInMs);
  late.unref();
  const until = AbortSignal.any([signal, limit.signal]);
  try {
    const query = await firstAnswer(state, {listener, typedLines}, until);
    const error = query.get('error');
    if (error !== null) {
      return failed(
        rejected(
          error === 'access_denied'
            ? 'ChatGPT was not connected: you or OpenAI refused it.'
            : `ChatGPT was not connected: OpenAI answered ${/^[a-z_]{1,40}$/u.test(error) ? error : 'with an error'}.`,
        ),
      );
    }
    const clientId = query.get('client_id')?.trim() || client.value.clientId;
    if (clientId === '') return failed(rejected("OpenAI's answer names no client, so weft can't continue."));
    const form = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: query.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: listener.redirectUrl,
    };
    const answer = await requestTokens(form, environment, until);
    if (signal.aborted) throw signal.reason;
    if (answer.tag === 'failed') return failed(tokenFault(answer.error));
    const said = claimsOf(textOf(answer.value['id_token']));
    if (said['nonce'] !== undefined && said['nonce'] !== nonce) {
      return failed(rejected('The answer of OpenAI belongs to another sign-in. weft kept nothing.'));
    }
    const granted = grantedSignIn(answer.value, {clientId, refreshToken: '', scope: ''});
    if (granted.tag === 'failed') {
      const fix = `Sign in again and allow it, with a plan that includes it.`;
      return failed(needsUser(granted.error, fix));
    }
    const known = await writeClient(deps.places, {...client.value, clientId});
    if (known.tag === 'failed') return known;
    return await apiKeys.keep({provider: 'chatgpt', key: JSON.stringify(granted.value), baseUrl: ''});
  } catch (cause) {
    return failed(rejected(`Signing in to ChatGPT failed: ${causeText(until.aborted ? until.reason : cause)}.`));
  } finally {
    clearTimeout(late);
  }
}

const randomText = (): string => randomBytes(32).toString('base64url');

/** Returns the claims of a token, which came from the token server itself. */
function claimsOf(token: string): JsonObject {
  const parsed = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return parsed.tag === 'ok' ? objectOf(parsed.value) : {};
}

/** This installation, as OpenAI knows it. It holds no secret, and stays when the user signs out. */
interface InstalledClient {
  readonly hostId: string;
  /** Empty before the first sign-in. */
  readonly clientId: string;
}

const clientFile = ({credentials}: Pick<Places, 'credentials'>): string =>
  join(dirname(credentials), 'chatgpt-client.json');

async function knownClient(places: Pick<Places, 'credentials'>): Promise<Outcome<InstalledClient, Fault>> {
  const read = readTextFile(clientFile(places));
  const parsed = parseJson(read.tag === 'ok' ? (read.value ?? '') : '');
  const {hostId, clientId} = parsed.tag === 'ok' && isJsonObject(parsed.value) ? parsed.value : {};
  if (/^[0-9a-f-]{36}$/u.test(textOf(hostId))) return ok({hostId: textOf(hostId), clientId: textOf(clientId)});
  return writeClient(places, {hostId: randomUUID(), clientId: ''});
}

async function writeClient(
  places: Pick<Places, 'credentials'>,
  client: InstalledClient,
): Promise<Outcome<InstalledClient, Fault>> {
  const written = await changePrivateFile(clientFile(places), () => ok(`${JSON.stringify(client, undefined, 2)}\n`));
  return written.tag === 'failed' ? written : ok(client);
}
