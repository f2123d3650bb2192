import {ok} from '../../../base/outcome.ts';
import {connectClient} from '../../../server/client-stream.ts';
import {loadRunContext} from '../../compose/run-context.ts';
import {connectSession, findSession, knownServer, serverUrl} from '../../compose/server-connection.ts';
import {exitCode, type ExitCode, UsageError} from '../../exit-code.ts';
import {isStdoutTerminal, note} from '../../output.ts';
import {lookOf, runTerminal} from '../../run-terminal.ts';
import {loadTerminalUi} from '../../terminal-ui.ts';
import type {AttachOptions} from '../attach.ts';

/** Opens the terminal UI on a session of a server. Leaving it leaves the session as it is: what runs goes on. */
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
  const path =
    found.value === undefined
      ? `/agent/attach${cwd === undefined ? '' : `?workDir=${encodeURIComponent(cwd)}`}`
      : `/agent/sessions/${found.value.id}/attach`;
  const connected = await connectSession(server, path);
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
    workAfter: 'goes-on',
    effort: 'default',
  });
  connected.value.destroy();
  return end.kind === 'signalled' ? end.code : exitCode.done;
}

function fail(error: string): ExitCode {
  note(error);
  return exitCode.failed;
}
