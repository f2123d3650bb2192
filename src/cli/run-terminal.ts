import {homedir} from 'node:os';
import type {ComposedEngine} from './compose-engine.ts';
import type {SessionSummary} from '../domain/journal.ts';
import {runTui} from '../tui/run-tui.tsx';
import type {HistoryPort, TrustPort, TuiExit} from '../tui/options.ts';
import {exitCode, type ExitCode} from './exit-code.ts';
import {version} from './version.ts';

export interface TerminalJob {
  readonly engine: ComposedEngine;
  readonly directory: string;
  readonly firstPrompt: string;
  readonly opening: 'composer' | 'sessions';
  readonly notices: readonly string[];
  readonly lateNotices: () => Promise<readonly string[]>;
  readonly listSessions: () => readonly SessionSummary[];
  readonly history: HistoryPort;
  readonly permissions: () => readonly string[];
  readonly trust: TrustPort;
  readonly look: 'colour' | 'plain';
  readonly demo: 'none' | 'offered';
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
  const onSignal = (): void => signalled.resolve({kind: 'signalled', code: exitCode.terminated});
  for (const signal of endSignals) process.on(signal, onSignal);
  const leave = new AbortController();
  const ui = runTui(
    {
      engine: job.engine,
      stdin: process.stdin,
      stdout: process.stdout,
      version,
      directory: tilde(job.directory),
      firstPrompt: job.firstPrompt,
      opening: job.opening,
      notices: job.notices,
      lateNotices: job.lateNotices,
      listSessions: job.listSessions,
      history: job.history,
      blocks: job.engine.desk,
      permissions: job.permissions,
      trust: job.trust,
      look: job.look,
      demo: job.demo,
      clock: {now: () => performance.now()},
    },
    leave.signal,
  );
  const end = await Promise.race([ui, signalled.promise]);
  // On a signal the screen is given back before anything else ends.
  leave.abort();
  await ui;
  // The demo is a visit: the conversation goes on after it.
  if (end.kind === 'demo') job.engine.submit({op: 'interrupt'});
  else await job.engine.close('shutdown');
  for (const signal of endSignals) process.off(signal, onSignal);
  return end;
}

const endSignals = ['SIGTERM', 'SIGHUP'] as const;

function tilde(directory: string): string {
  const home = homedir();
  return directory === home || directory.startsWith(`${home}/`) ? `~${directory.slice(home.length)}` : directory;
}

/** Colours unless the flag says no, or NO_COLOR or TERM=dumb do and FORCE_COLOR does not. */
export function lookOf(environment: NodeJS.ProcessEnv, color: boolean): TerminalJob['look'] {
  if (!color) return 'plain';
  if (!['', '0'].includes(environment['FORCE_COLOR'] ?? '')) return 'colour';
  return (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb' ? 'plain' : 'colour';
}
