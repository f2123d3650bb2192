import {withTilde} from '../base/shown-path.ts';
import {homedir} from 'node:os';
import {setTimeout as delay} from 'node:timers/promises';
import type {AgentClient} from '../agent/client.ts';
import {causeText, FaultError} from '../domain/fault.ts';
import {messageId} from '../domain/ids.ts';
import type {ThemeChoice} from '../domain/preferences.ts';
import type {ClipboardPort, EditorPort, JobControl, TuiExit, TuiOptions} from '../tui/options.ts';
import {wantsModifyOtherKeys} from '../tui/terminal/terminal-modes.ts';
import {terminalLook} from '../tui/theme/terminal-look.ts';
import type {Look} from '../tui/theme/theme.ts';
import type {TerminalWatchdog} from '../workspace/exec/watchdog.ts';
import {lazyImages} from '../app/lazy-ports.ts';
import {exitCode, type ExitCode} from '../app/exit-code.ts';
import type {TerminalUi} from './terminal-ui.ts';
import {version} from '../app/version.ts';
import {randomUuid} from '../app/random-uuid.ts';

/** What the terminal UI needs from the command line and the composition. */
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
}

/** How the terminal UI was left: by the user, for the demo, or by a signal. */
export type TerminalEnd = TuiExit | {readonly kind: 'signalled'; readonly code: ExitCode};

/**
 * Runs the terminal UI. When this settles the engine is closed, and with it all that it started. Only where the user leaves for the
 * demo is the engine just interrupted: the conversation goes on afterwards.
 */
export async function runTerminal(job: TerminalJob): Promise<TerminalEnd> {
  const signalled = Promise.withResolvers<TerminalEnd>();
  // Not once: Ink's own listener would take itself for the only one, and let the signal end weft at once.
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
  const {ui: terminalUi, engine, directory, watchdog, ...options} = job;
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
      clipboard: clipboardPort(directory),
      newPromptId: () => messageId(randomUuid()),
      modifiedKeys: wantsModifyOtherKeys(process.env),
      restorer: terminalUi.keeper(watchdog, process.stdout),
      job: makeJobControl(),
      clock: {now: () => performance.now(), date: () => Date.now()},
    },
    leave.signal,
  );
  // On a terminal that is gone, which the signal was about, the UI may fail to say goodbye.
  ui.catch((cause: unknown) => {
    if (receivedSignal === undefined) onCrash(cause);
  });
  try {
    const end = await Promise.race([ui.catch(() => signalled.promise), signalled.promise]);
    // On a signal the screen is given back before anything else ends.
    leave.abort();
    if (end.kind !== 'signalled') await ui;
    const closed = end.kind === 'signalled' ? await endsInTime(ui) : 'yes';
    if (crash !== undefined) {
      // What runs is stopped and journalled; an engine that is broken itself may not manage that.
      await endsInTime(engine.close('shutdown'));
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

/** What the user reads of a crash: an expected failure (a full disk) speaks for itself, anything else is a bug. */
function crashError(crash: unknown): Error {
  if (crash instanceof FaultError) return crash;
  const message = `internal error: ${causeText(crash)}. Please report it; weft --debug shows where it was.`;
  return new Error(message, {cause: crash});
}

/**
 * Whether the UI ends within a second. A crashed UI may never end, and a terminal that takes no output is not waited for: the watchdog
 * restores it.
 */
async function endsInTime(end: Promise<unknown>): Promise<'yes' | 'no'> {
  const closed = end.then(
    () => 'yes' as const,
    () => 'no' as const,
  );
  return Promise.race([closed, delay(closeMs, 'no' as const)]);
}

/** Ends the process by the signal, without the listeners on `exit`: those that write would wait for a terminal that takes no output. */
function killWith(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Milliseconds that the UI has to end after a signal. */
const closeMs = 1000;

/** The clipboard of this machine; loaded when it is first used. */
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

const endSignals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/** Colours unless the flag says no, or NO_COLOR or TERM=dumb do and FORCE_COLOR does not. */
export const lookOf = (
  environment: NodeJS.ProcessEnv,
  {color, theme}: {readonly color: boolean; readonly theme: ThemeChoice},
): Look => terminalLook(environment, {theme, colour: color ? 'wanted' : 'unwanted'});

/**
 * weft as a job of the user's shell. It stops by the signal that a terminal sends, with nobody listening: where no shell waits to
 * go on with it (weft is all that runs in a terminal), the system does not stop it then. What runs for the agent has its own group.
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
