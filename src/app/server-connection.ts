import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import type {IncomingMessage, RequestOptions} from 'node:http';
import type {Duplex} from 'node:stream';
import {isJsonObject, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {visibleExactLine} from '../base/visible.ts';
import {causeText} from '../domain/fault.ts';
import {clientProtocol, versionHeader} from '../server/start-server.ts';
import {UsageError} from './exit-code.ts';
import {version} from './version.ts';
import {userPlaces} from './user-data.ts';

/** A weft server and the user's token for it. */
export interface WeftServer {
  readonly url: URL;
  readonly token: string;
}

/** Parses the address of a server. Throws a `UsageError` if it is not valid. */
export function serverUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new UsageError(
      `${visibleExactLine(address)} is not a server address. Use one such as http://127.0.0.1:4096.`,
    );
  return url;
}

/**
 * Returns a server with its token: from the environment, from a file, or that of the user's own server, which is never sent to another
 * machine. Throws a `UsageError` if the token can't be read.
 */
export function knownServer(url: URL, tokenFile: string | undefined): WeftServer {
  const given = process.env['WEFT_SERVER_TOKEN'] ?? '';
  delete process.env['WEFT_SERVER_TOKEN'];
  if (tokenFile === undefined && given !== '') return {url, token: given};
  if (tokenFile === undefined && !ownNames.has(url.hostname)) {
    const where = 'Give its file with --token-file FILE, or with "tokenFile" next to its "url" in your settings';
    throw new UsageError(`No token for ${url.origin}. ${where}.`);
  }
  try {
    return {url, token: readFileSync(tokenFile ?? userPlaces().serverToken, 'utf8').trim()};
  } catch (cause) {
    throw new UsageError(`Can't read the token: ${causeText(cause)}. Give its file: --token-file FILE`);
  }
}

/** The names of this machine in addresses. */
const ownNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export interface RemoteSession {
  readonly id: string;
  readonly workDir: string;
}

/** Finds the session of the server whose id begins with `wanted`. */
export async function findSession(server: WeftServer, wanted: string): Promise<Outcome<RemoteSession, string>> {
  const answered = await ask(server, '/agent/sessions', {});
  if (answered.tag === 'failed') return answered;
  const {response} = answered.value;
  const body = await textOf(response);
  if (response.statusCode !== 200) return failed(refusalText(server, response, body));
  const parsed = parseJson(body);
  const rows = parsed.tag === 'ok' && Array.isArray(parsed.value) ? parsed.value.filter(isJsonObject) : [];
  const matching = rows.flatMap(({id, workDir}) =>
    typeof id === 'string' && typeof workDir === 'string' && id.startsWith(wanted.toLowerCase()) ? [{id, workDir}] : [],
  );
  const [only] = matching;
  if (only === undefined) return failed(`the server has no session ${visibleExactLine(wanted)}`);
  return matching.length === 1
    ? ok(only)
    : failed(`${String(matching.length)} sessions begin with ${visibleExactLine(wanted)}`);
}

/** Opens a session of the server for a front end; the error is for the user. */
export async function connectSession(server: WeftServer, path: string): Promise<Outcome<Duplex, string>> {
  const answered = await ask(server, path, {
    connection: 'Upgrade',
    upgrade: clientProtocol,
    [versionHeader]: version,
  });
  if (answered.tag === 'failed') return answered;
  const {response, connection} = answered.value;
  if (connection !== undefined) return ok(connection);
  return failed(refusalText(server, response, await textOf(response)));
}

interface Answered {
  readonly response: IncomingMessage;
  readonly connection: Duplex | undefined;
}

async function ask(
  {url, token}: WeftServer,
  path: string,
  headers: Record<string, string>,
): Promise<Outcome<Answered, string>> {
  const {request} = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const options: RequestOptions = {method: 'GET', headers: {...headers, authorization: `Bearer ${token}`}};
  const outgoing = request(new URL(path, url), options);
  const answered = Promise.withResolvers<Answered>();
  outgoing.once('response', response => answered.resolve({response, connection: undefined}));
  outgoing.once('upgrade', (response, connection, head) => {
    if (head.length > 0) connection.unshift(head);
    answered.resolve({response, connection});
  });
  outgoing.once('error', cause => answered.reject(cause));
  outgoing.end();
  try {
    return ok(await answered.promise);
  } catch (cause) {
    return failed(`no answer from ${url.origin}: ${causeText(cause)}. Start a server there: weft serve`);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < longestAnswer) text += chunk;
  });
  await once(response, 'close');
  return text;
}

/** The maximum number of UTF-16 units to read from an answer. */
const longestAnswer = 32 * 1024 * 1024;

function refusalText({url}: WeftServer, {statusCode = 0}: IncomingMessage, body: string): string {
  const parsed = parseJson(body);
  const error = parsed.tag === 'ok' && isJsonObject(parsed.value) ? parsed.value['error'] : undefined;
  return `${url.origin} refused the request: ${typeof error === 'string' ? visibleExactLine(error) : `status ${String(statusCode)}`}`;
}
