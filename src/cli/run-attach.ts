import {exitCode, type ExitCode, UsageError} from '../app/exit-code.ts';
import type {Duplex} from 'node:stream';
import type {AgentClient} from '../agent/client.ts';
import {messageId} from '../domain/ids.ts';
import {branchElsewhere} from '../domain/session-list.ts';
import {OpenSessions} from '../app/open-sessions.ts';
import {randomUuid} from '../app/clock-and-ids.ts';
import {failed, ok} from '../base/outcome.ts';
import {connectClient} from '../server/client-stream.ts';
import {connectSession, findSession, knownServer, serverUrl} from '../app/server-connection.ts';
import {openLog} from '../app/log-file.ts';
import {isStdoutTerminal, note} from '../app/output.ts';
import {chosenTheme, lookOf, runTerminal} from './run-terminal.ts';
import {loadTerminalUi} from './terminal-ui.ts';
import {contextFor} from '../app/run-context.ts';
import {userPlaces} from '../app/user-data.ts';

export interface AttachOptions {
  readonly tokenFile?: string;
  readonly cwd?: string;
}

/** Opens the terminal UI on a session of a server. The session keeps running after the UI exits. */
export async function runAttach(
  address: string,
  session: string | undefined,
  {tokenFile, cwd}: AttachOptions,
): Promise<ExitCode> {
  const url = serverUrl(address);
  if (!process.stdin.isTTY || !isStdoutTerminal()) throw new UsageError('weft attach needs a terminal.');
  const server = knownServer(url, tokenFile);
  const found = session === undefined ? ok(undefined) : await findSession(server, session);
  if (found.tag === 'failed') return fail(found.error);
  const connected = await connectSession(server, pathOf(found.value?.id, cwd));
  if (connected.tag === 'failed') return fail(connected.error);
  const {preferences} = contextFor({}).settings;
  const [watchdog, ui] = await Promise.all([
    import('../workspace/exec/watchdog.ts').then(({startTerminalWatchdog}) => startTerminalWatchdog(process.stdout.fd)),
    loadTerminalUi(preferences, userPlaces().keyBindings),
  ]);
  const {theme, notices: themeNotices} = await chosenTheme(preferences.theme);
  const engine = new OpenSessions(clientOf(connected.value), {
    async open(wanted, folder) {
      if (wanted.kind === 'branch') return failed(branchElsewhere(wanted.id));
      const opened = await connectSession(server, pathOf(wanted.kind === 'new' ? undefined : wanted.id, folder));
      return opened.tag === 'ok' ? ok(clientOf(opened.value)) : opened;
    },
    engineWhenIdle: 'separate',
    newPromptId: () => messageId(randomUuid()),
    now: Date.now,
  });
  const end = await runTerminal({
    ui,
    engine,
    directory: found.value?.workDir ?? cwd ?? url.host,
    firstPrompt: '',
    opening: 'composer',
    instructions: [],
    notices: [`Attached to ${url.host}. Exiting does not stop what runs there.`, ...ui.notices, ...themeNotices],
    lateNotices: () => [],
    log: openLog(userPlaces().log),
    preferences,
    watchdog,
    look: lookOf(process.env, {color: true, theme}),
    demo: 'none',
    workAfter: 'goes-on',
    runningSessions: () => engine.running(),
    effort: 'default',
  });
  return end.kind === 'signalled' ? end.code : exitCode.done;
}

/** Returns a client for a connection; closing the client closes the connection. */
function clientOf(stream: Duplex): AgentClient {
  const client = connectClient(stream);
  return {
    ...client,
    async close(reason) {
      await client.close(reason);
      stream.destroy();
    },
  };
}

/** Returns the path at which the server opens a session: the named one, or a new one. */
const pathOf = (session: string | undefined, folder: string | undefined): string =>
  session === undefined
    ? `/agent/attach${folder === undefined ? '' : `?workDir=${encodeURIComponent(folder)}`}`
    : `/agent/sessions/${session}/attach`;

function fail(error: string): ExitCode {
  note(error);
  return exitCode.failed;
}
