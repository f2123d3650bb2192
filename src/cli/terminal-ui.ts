import {writeSync} from 'node:fs';
import type {Preferences} from '../domain/preferences.ts';

import type {TerminalWatchdog} from '../workspace/exec/watchdog.ts';
import type {TerminalRestorer, TuiExit, TuiOptions} from '../tui/options.ts';

/** What the user talks to in the terminal. */
export interface TerminalUi {
  run(options: TuiOptions, signal: AbortSignal): Promise<TuiExit>;
  keeper(watchdog: TerminalWatchdog, terminal: NodeJS.WriteStream & {fd: number}): TerminalRestorer;
}

/** `accessible`: lines that are only ever added; else the screen. Only the one that is wanted is loaded. */
export async function loadTerminalUi({accessible}: Pick<Preferences, 'accessible'>): Promise<TerminalUi> {
  if (!accessible) {
    await (await import('../tui/terminal/yoga.ts')).loadLayout();
    const {runTui} = await import('../tui/run-tui.tsx');
    return {run: runTui, keeper: makeTerminalRestorer};
  }
  const {runAccessible} = await import('../tui/accessible/run-accessible.ts');
  const echo = (process.env['INSIDE_EMACS'] ?? '').includes('comint') ? 'none' : 'own';
  return {run: (options, signal) => runAccessible({...options, echo}, signal), keeper: makeSettingsRestorer};
}

/**
 * Undoes the terminal's modes when the process ends before the UI has: in the process itself where it still can act, and by the
 * watchdog where it cannot. (Node restores the terminal's settings itself when it ends.)
 */
function makeTerminalRestorer(
  watchdog: TerminalWatchdog,
  terminal: NodeJS.WriteStream & {fd: number},
): TerminalRestorer {
  let undo = '';
  const onExit = (): void => {
    // A terminal that takes nothing would keep weft here; the watchdog waits for it instead.
    if (undo === '' || terminal.writableLength > 0) return;
    try {
      // There is no time for the stream now.
      if (writeSync(terminal.fd, undo) === Buffer.byteLength(undo)) watchdog.release();
    } catch {
      // The terminal is gone, or takes nothing now: then the watchdog waits for it.
    }
  };
  return {
    keep(next) {
      if (undo === '') process.on('exit', onExit);
      undo = `${always}${next}`;
      watchdog.setUndo(undo);
    },
    release() {
      undo = '';
      process.off('exit', onExit);
      watchdog.release();
    },
  };
}

/** For a UI that switches on no modes: what is to be undone are the terminal's settings alone, and nothing is written. */
function makeSettingsRestorer(watchdog: TerminalWatchdog): TerminalRestorer {
  return {keep: () => watchdog.setUndo(''), release: () => watchdog.release()};
}

/** Weft may end in the middle of a frame: shown again are the frame, plain letters and the cursor. */
const always = '\u001B[?2026l\u001B[0m\u001B[?25h';
