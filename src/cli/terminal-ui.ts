import type {Preferences} from '../domain/preferences.ts';
import type {TerminalKeeper, TuiExit, TuiOptions} from '../tui/options.ts';
import type {TerminalGuard} from '../workspace/terminal-guard.ts';
import {makeSettingsKeeper, makeTerminalKeeper} from './terminal-keeper.ts';

/** What the user talks to in the terminal. */
export interface TerminalUi {
  run(options: TuiOptions, signal: AbortSignal): Promise<TuiExit>;
  keeper(guard: TerminalGuard, terminal: NodeJS.WriteStream & {fd: number}): TerminalKeeper;
}

/** `accessible`: lines that are only ever added; else the screen. Only the one that is wanted is loaded. */
export async function loadTerminalUi({accessible}: Pick<Preferences, 'accessible'>): Promise<TerminalUi> {
  if (!accessible) {
    const {runTui} = await import('../tui/run-tui.tsx');
    return {run: runTui, keeper: makeTerminalKeeper};
  }
  const {runAccessible} = await import('../tui/accessible/run-accessible.ts');
  const echo = (process.env['INSIDE_EMACS'] ?? '').includes('comint') ? 'none' : 'own';
  return {run: (options, signal) => runAccessible({...options, echo}, signal), keeper: makeSettingsKeeper};
}
