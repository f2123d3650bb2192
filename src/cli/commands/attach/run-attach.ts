import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import type {IncomingMessage, RequestOptions} from 'node:http';
import type {Duplex} from 'node:stream';
import {isJsonObject, parseJson} from '../../../base/json.ts';
import {failed, ok, type Outcome} from '../../../base/outcome.ts';
import {visibleExactLine} from '../../../base/visible.ts';
import {causeText} from '../../../domain/fault.ts';
import {connectClient} from '../../../server/client-stream.ts';
import {clientProtocol, versionHeader} from '../../../server/start-server.ts';
import {loadRunContext} from '../../compose/run-context.ts';
import {userPlaces} from '../../compose/user-data.ts';
import {exitCode, type ExitCode, UsageError} from '../../exit-code.ts';
import {isStdoutTerminal, note} from '../../output.ts';
import {lookOf, runTerminal} from '../../run-terminal.ts';
import {loadTerminalUi} from '../../terminal-ui.ts';
import {version} from '../../version.ts';
import type {AttachOptions} from '../attach.ts';

/** Opens the terminal UI on a session of a server. Leaving it leaves the session as it is: what runs goes on. */
export async function runAttach(
  address: string,
  session: string | undefined,
  {tokenFile, cwd}: AttachOptions,
): Promise<ExitCode> {
  const url = serverUrl(address);
  if (!process.stdin.isTTY || !isStdoutTerminal()) throw new UsageError('weft attach needs a terminal.');
  const server: Server = {url, token: readToken(tokenFile)};
  const found = session === undefined ? ok(undefined) : await findSession(server, session);
  if (found.tag === 'failed') return fail(found.error);
  const path =
    found.value === undefined
      ? `/agent/attach${cwd === undefined ? '' : `?workDir=${encodeURIComponent(cwd)}`}`
      : `/agent/sessions/${found.value.id}/attach`;
  const connected = await connect(server, path);
  if (connected.tag === 'failed') return fail(connected.error);
  const {settings} = loadRunContext({
    directory: process.cwd(),
    added: [],
    options: {sessionPersistence: true, color: true},
  });
  const {preferences} = settings;
  const [watchdog, ui] = await Promise.all([
    import('../../../workspace/exec/watchdog.ts').then(({startTerminalWatchdog}) =>
      startTerminalWatchdog(process.stdout.fd),
    ),
    loadTerminalUi(preferences),
  ]);
  const end = await runTerminal({
    ui,
    engine: connectClient(connected.value),
    directory: found.value?.workDir ?? cwd ?? url.host,
    firstPrompt: '',
    opening: 'composer',
    instructions: [],
    notices: [`Attached to ${url.host}: leaving does not stop what runs there.`],
    lateNotices: async () => [],
    preferences,
    watchdog,
    look: lookOf(process.env, {color: true, theme: preferences.theme}),
    demo: 'none',
    effort: 'default',
  });
  connected.value.destroy();
  return end.kind === 'signalled' ? end.code : exitCode.done;
}

interface Server {
  readonly url: URL;
  readonly token: string;
}

function fail(error: string): ExitCode {
  note(error);
  return exitCode.failed;
}

function serverUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new UsageError(`${visibleExactLine(address)} is no address of a server, such as http://127.0.0.1:4096.`);
  return url;
}

/** Of the environment, of a file, or of the user's own server. */
function readToken(file: string | undefined): string {
  const given = process.env['WEFT_SERVER_TOKEN'] ?? '';
  delete process.env['WEFT_SERVER_TOKEN'];
  if (file === undefined && given !== '') return given;
  const path = file ?? userPlaces().serverToken;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new UsageError(`The token cannot be read: ${causeText(cause)}. Name its file: --token-file FILE`);
  }
}

interface RemoteSession {
  readonly id: string;
  readonly workDir: string;
}

async function findSession(server: Server, wanted: string): Promise<Outcome<RemoteSession, string>> {
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

async function connect(server: Server, path: string): Promise<Outcome<Duplex, string>> {
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
  {url, token}: Server,
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

function refusalText({url}: Server, {statusCode = 0}: IncomingMessage, body: string): string {
  const parsed = parseJson(body);
  const error = parsed.tag === 'ok' && isJsonObject(parsed.value) ? parsed.value['error'] : undefined;
  return `${url.origin} refuses: ${typeof error === 'string' ? visibleExactLine(error) : `status ${String(statusCode)}`}`;
}
