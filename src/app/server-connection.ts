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

/** A weft server and what it knows the user by. */
export interface WeftServer {
  readonly url: URL;
  readonly token: string;
}

/** Throws a `UsageError` for what is no address. */
export function serverUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new UsageError(`${visibleExactLine(address)} is no address of a server, such as http://127.0.0.1:4096.`);
  return url;
}

/**
 * A server with its token: of the environment, of a file, or of the user's own server, which no other machine is told. Throws a `UsageError`
 * where it cannot be read.
 */
export function knownServer(url: URL, tokenFile: string | undefined): WeftServer {
  const given = process.env['WEFT_SERVER_TOKEN'] ?? '';
  delete process.env['WEFT_SERVER_TOKEN'];
  if (tokenFile === undefined && given !== '') return {url, token: given};
  if (tokenFile === undefined && !ownNames.has(url.hostname)) {
    const where = 'Name the file that holds it: --token-file FILE, or "tokenFile" beside its "url" in your settings';
    throw new UsageError(`The token of ${url.origin} is not known. ${where}.`);
  }
  try {
    return {url, token: readFileSync(tokenFile ?? userPlaces().serverToken, 'utf8').trim()};
  } catch (cause) {
    throw new UsageError(`The token cannot be read: ${causeText(cause)}. Name its file: --token-file FILE`);
  }
}

/** This machine, as addresses name it. */
const ownNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export interface RemoteSession {
  readonly id: string;
  readonly workDir: string;
}

/** The session of the server whose id begins so. */
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
    return failed(`nothing answers at ${url.origin}: ${causeText(cause)}. Start a server there: weft serve`);
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

/** UTF-16 units of an answer that are looked at. */
const longestAnswer = 32 * 1024 * 1024;

function refusalText({url}: WeftServer, {statusCode = 0}: IncomingMessage, body: string): string {
  const parsed = parseJson(body);
  const error = parsed.tag === 'ok' && isJsonObject(parsed.value) ? parsed.value['error'] : undefined;
  return `${url.origin} refuses: ${typeof error === 'string' ? visibleExactLine(error) : `status ${String(statusCode)}`}`;
}
