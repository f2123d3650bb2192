import {withTilde} from '../base/shown-path.ts';
import {homedir} from 'node:os';
import {setTimeout as delay} from 'node:timers/promises';
import type {AgentClient} from '../agent/client.ts';
import {causeText, FaultError} from '../domain/fault.ts';
import {messageId} from '../domain/ids.ts';
import {themeChoices} from '../domain/preferences.ts';
import type {
  ChosenTheme,
  ClipboardPort,
  EditorPort,
  JobControl,
  StatusLinePort,
  TuiExit,
  TuiOptions,
} from '../tui/options.ts';
import {wantsModifyOtherKeys} from '../tui/terminal/terminal-modes.ts';
import {githubPage} from '../workspace/files/git-branch.ts';
import {terminalMedia} from '../tui/terminal/media.ts';
import {terminalLook} from '../tui/theme/terminal-look.ts';
import type {Look} from '../tui/theme/theme.ts';
import type {TerminalWatchdog} from '../workspace/exec/watchdog.ts';
import {lazyImages} from '../app/lazy-ports.ts';
import {exitCode, type ExitCode} from '../app/exit-code.ts';
import type {TerminalUi} from './terminal-ui.ts';
import {version} from '../app/version.ts';
import {randomUuid} from '../app/clock-and-ids.ts';

/** The inputs that the command line and the composed session provide for the terminal UI. */
export interface TerminalJob extends Pick<
  TuiOptions,
  | 'firstPrompt'
  | 'opening'
  | 'instructions'
  | 'notices'
  | 'lateNotices'
  | 'preferences'
  | 'look'
  | 'effort'
  | 'demo'
  | 'workAfter'
  | 'runningSessions'
> {
  readonly ui: TerminalUi;
  readonly engine: AgentClient;
  readonly directory: string;
  readonly watchdog: TerminalWatchdog;
  /** Writes a line to weft's log. */
  readonly log: (line: string) => void;
}

/** How the terminal UI ended: by the user, for the demo, or by a signal. */
export type TerminalEnd = TuiExit | {readonly kind: 'signalled'; readonly code: ExitCode};

/**
 * Runs the terminal UI. When this settles, the engine is closed, and with it everything that it started. If the user starts the
 * demo, the engine is only interrupted, because the conversation continues afterwards.
 */
export async function runTerminal(job: TerminalJob): Promise<TerminalEnd> {
  const signalled = Promise.withResolvers<TerminalEnd>();
  // The listener is not added with `once`: after the first signal, Ink's listener would be the only one left, and would
  // let the signal end weft at once.
  let receivedSignal: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    receivedSignal = signal;
    signalled.resolve({
      kind: 'signalled',
      code: signal === 'SIGINT' ? exitCode.interrupted : exitCode.terminated,
    });
  };
  for (const signal of endSignals) process.on(signal, onSignal);
  let crash: unknown;
  const onCrash = (cause: unknown): void => {
    crash ??= cause;
    signalled.resolve({kind: 'signalled', code: exitCode.failed});
  };
  process.on('uncaughtException', onCrash);
  const leave = new AbortController();
  const {ui: terminalUi, engine, directory, watchdog, log, ...options} = job;
  const ui = terminalUi.run(
    {
      ...options,
      engine,
      stdin: process.stdin,
      stdout: process.stdout,
      version,
      directory: withTilde(directory, homedir()),
      home: homedir(),
      editor: lazyEditor,
      async runWeft(args, closing) {
        const {runInTerminal} = await import('./user-editor.ts');
        const trouble = await runInTerminal([process.execPath, process.argv[1] ?? '', ...args], closing);
        return trouble === '' ? '' : `weft ${args.join(' ')} ${trouble}.`;
      },
      statusLine: lazyStatusLine,
      loadThemes: async () => (await import('./theme-files.ts')).loadThemes(),
      clipboard: clipboardPort(directory),
      media: {...terminalMedia(process.env), repository: githubPage(directory)},
      newPromptId: () => messageId(randomUuid()),
      modifiedKeys: wantsModifyOtherKeys(process.env),
      restorer: terminalUi.keeper(watchdog, process.stdout),
      job: makeJobControl(),
      clock: {now: () => performance.now(), date: () => Date.now()},
    },
    leave.signal,
  );
  // After a signal the terminal may be gone, so the UI may fail to clean up.
  ui.catch((cause: unknown) => {
    if (receivedSignal === undefined) onCrash(cause);
  });
  try {
    const end = await Promise.race([ui.catch(() => signalled.promise), signalled.promise]);
    // On a signal, restore the screen before anything else ends.
    leave.abort();
    if (end.kind !== 'signalled') await ui;
    const closed = end.kind === 'signalled' ? await endsInTime(ui) : 'yes';
    if (crash !== undefined) {
      // Stop and journal what runs. A broken engine may never finish that.
      await endsInTime(engine.close('shutdown'));
      log((await import('../app/log-file.ts')).crashLine(crash));
      throw crashError(crash);
    }
    if (end.kind === 'demo') engine.submit({op: 'interrupt'});
    else await engine.close('shutdown');
    if (receivedSignal !== undefined && closed === 'no') killWith(receivedSignal);
    return end;
  } finally {
    for (const signal of endSignals) process.off(signal, onSignal);
    process.off('uncaughtException', onCrash);
  }
}

/** Returns the error to print after a crash. An expected failure (a full disk) keeps its own text; anything else is a bug. */
function crashError(crash: unknown): Error {
  if (crash instanceof FaultError) return crash;
  const message = `internal error: ${causeText(crash)}. Please report it with the file of: weft doctor --report report.md`;
  return new Error(message, {cause: crash});
}

/**
 * Waits at most a second for the UI to end, and returns whether it did. A crashed UI may never end. weft does not wait for a
 * terminal that takes no output: the watchdog restores it.
 */
async function endsInTime(end: Promise<unknown>): Promise<'yes' | 'no'> {
  const closed = end.then(
    () => 'yes' as const,
    () => 'no' as const,
  );
  return Promise.race([closed, delay(closeMs, 'no' as const)]);
}

/** Ends the process by the signal, without the `exit` listeners: one that writes would wait for a terminal that takes no output. */
function killWith(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Milliseconds that the UI and the engine have to end after a signal or a crash. */
const closeMs = 1000;

/** The clipboard of this machine, loaded when first used. */
const clipboardPort = (directory: string): ClipboardPort => ({
  async copy(text) {
    const {copyText} = await import('../workspace/clipboard.ts');
    return copyText(text, {
      environment: process.env,
      platform: process.platform,
      write: sequence => void process.stdout.write(sequence),
    });
  },
  readImage: signal => lazyImages(directory).fromClipboard(signal),
});

const lazyEditor: EditorPort = {
  async edit(work, signal) {
    const {userEditor} = await import('./user-editor.ts');
    return await userEditor(process.env).edit(work, signal);
  },
};

const lazyStatusLine: StatusLinePort = {
  async print(setting, input, signal) {
    const {printStatusLine} = await import('./status-line-command.ts');
    return await printStatusLine(setting, {input, columns: process.stdout.columns}, signal);
  },
};

const endSignals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/** Returns the theme with this name. If it is one of the user's own and has a mistake, weft's own colors count, and the notice says why. */
export async function chosenTheme(
  name: string,
): Promise<{readonly theme: ChosenTheme; readonly notices: readonly string[]}> {
  const theme = themeChoices.find(choice => choice === name);
  if (theme !== undefined) return {theme, notices: []};
  const {loadTheme} = await import('./theme-files.ts');
  const own = loadTheme(name);
  return own.tag === 'ok' ? {theme: own.value, notices: []} : {theme: 'auto', notices: [own.error]};
}

/** Returns the look of the terminal UI. Colors are off with the flag, and with NO_COLOR or TERM=dumb unless FORCE_COLOR is set. */
export const lookOf = (
  environment: NodeJS.ProcessEnv,
  {color, theme}: {readonly color: boolean; readonly theme: ChosenTheme},
): Look => terminalLook(environment, {theme, color: color ? 'wanted' : 'unwanted'});

/**
 * Makes weft a job of the user's shell. To stop, weft sends itself the terminal's stop signal without a listener. If no shell could
 * continue it (weft is all that runs in a terminal), the system does not stop it. The agent's commands have their own process group.
 */
function makeJobControl(): JobControl {
  return {
    watch(listener) {
      const onStop = (): void => listener('asked-to-stop');
      const onContinue = (): void => listener('continued');
      const listen = (): void => {
        process.on('SIGTSTP', onStop);
        process.on('SIGCONT', onContinue);
      };
      const unlisten = (): void => {
        process.off('SIGTSTP', onStop);
        process.off('SIGCONT', onContinue);
      };
      listen();
      return {
        stop() {
          unlisten();
          process.kill(0, 'SIGTSTP');
          listen();
        },
        close: unlisten,
      };
    },
  };
}
