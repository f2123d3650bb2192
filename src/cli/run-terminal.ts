import {makeJobControl} from './job-control.ts';
import {randomUUID} from 'node:crypto';
import {homedir} from 'node:os';
import type {ComposedEngine} from './compose-engine.ts';
import {setTimeout as delay} from 'node:timers/promises';
import {messageId} from '../domain/ids.ts';
import type {ImagePort} from '../actions/image-port.ts';
import type {ThemeChoice} from '../domain/preferences.ts';
import type {EditorPort, TuiExit, TuiOptions} from '../tui/options.ts';
import {asksForModifiedKeys} from '../tui/terminal/modified-keys.ts';
import {terminalLook} from '../tui/theme/terminal-look.ts';
import type {Look} from '../tui/theme/theme.ts';
import {exitCode, type ExitCode} from './exit-code.ts';
import type {TerminalGuard} from '../workspace/terminal-guard.ts';
import type {TerminalUi} from './terminal-ui.ts';
import {version} from './version.ts';

/** What the UI is told as it is, and what the rest of what it needs is made of. */
export interface TerminalJob extends Pick<
  TuiOptions,
  | 'firstPrompt'
  | 'opening'
  | 'notices'
  | 'lateNotices'
  | 'listSessions'
  | 'history'
  | 'permissions'
  | 'trust'
  | 'preferences'
  | 'outside'
  | 'look'
  | 'demo'
> {
  readonly ui: TerminalUi;
  readonly engine: ComposedEngine;
  readonly directory: string;
  readonly guard: TerminalGuard;
}

/** How the terminal UI was left: by the user, for the demo, or by a signal. */
export type TerminalEnd = TuiExit | {readonly kind: 'signalled'; readonly code: ExitCode};

/**
 * Runs the terminal UI. The engine is closed, and with it all that it started, when this settles; except for a visit to the demo,
 * before which it is only interrupted.
 */
export async function runTerminal(job: TerminalJob): Promise<TerminalEnd> {
  const signalled = Promise.withResolvers<TerminalEnd>();
  // Not once: Ink's own listener would take itself for the only one, and let the signal end weft at once.
  let heard: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    heard = signal;
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
  const {ui: wanted, engine, directory, guard, ...told} = job;
  const ui = wanted.run(
    {
      ...told,
      engine,
      stdin: process.stdin,
      stdout: process.stdout,
      version,
      directory: tilde(directory),
      editor: lazyEditor,
      edits: engine.edits,
      files: engine.finder,
      images: lazyImages(directory),
      notes: {
        add: async note => {
          const {addNote} = await import('../workspace/add-note.ts');
          return addNote(note, directory);
        },
      },
      blocks: engine.desk,
      newPromptId: () => messageId(randomUUID()),
      modifiedKeys: asksForModifiedKeys(process.env),
      keeper: wanted.keeper(guard, process.stdout),
      job: makeJobControl(),
      clock: {now: () => performance.now()},
    },
    leave.signal,
  );
  const end = await Promise.race([ui, signalled.promise]);
  // On a signal the screen is given back before anything else ends.
  leave.abort();
  if (end.kind !== 'signalled') await ui;
  const closed = end.kind === 'signalled' ? await closesInTime(ui) : 'yes';
  if (crash !== undefined) throw crash;
  // The demo is a visit: the conversation goes on after it.
  if (end.kind === 'demo') engine.submit({op: 'interrupt'});
  else await engine.close('shutdown');
  for (const signal of endSignals) process.off(signal, onSignal);
  process.off('uncaughtException', onCrash);
  if (heard !== undefined && closed === 'no') endBy(heard);
  return end;
}

/**
 * What is broken may not come to its end, and a terminal that takes nothing is not waited for: the keeper does what is left.
 */
async function closesInTime(ui: Promise<unknown>): Promise<'yes' | 'no'> {
  const closed = ui.then(
    () => 'yes' as const,
    () => 'no' as const,
  );
  return Promise.race([closed, delay(closeMs, 'no' as const)]);
}

/** Ends the process as the signal would have. Whatever writes on exit would wait for a terminal that takes nothing. */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** In milliseconds. */
const closeMs = 1000;

/** Loaded with the first image. */
function lazyImages(directory: string): ImagePort {
  const load = async (): Promise<ImagePort> => {
    const {makeImages} = await import('../workspace/images/make-images.ts');
    return makeImages({directory, home: homedir(), environment: process.env});
  };
  return {
    read: async (path, signal) => (await load()).read(path, signal),
    fromClipboard: async signal => (await load()).fromClipboard(signal),
  };
}

/** Few ever need it. */
const lazyEditor: EditorPort = {
  async edit(work, signal) {
    const {userEditor} = await import('./user-editor.ts');
    return await userEditor(process.env).edit(work, signal);
  },
};

const endSignals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

function tilde(directory: string): string {
  const home = homedir();
  return directory === home || directory.startsWith(`${home}/`) ? `~${directory.slice(home.length)}` : directory;
}

/** Colours unless the flag says no, or NO_COLOR or TERM=dumb do and FORCE_COLOR does not. */
export const lookOf = (
  environment: NodeJS.ProcessEnv,
  {color, theme}: {readonly color: boolean; readonly theme: ThemeChoice},
): Look => terminalLook(environment, {theme, colour: color ? 'wanted' : 'unwanted'});
