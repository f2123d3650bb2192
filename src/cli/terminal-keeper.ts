import {writeSync} from 'node:fs';
import type {TerminalKeeper} from '../tui/options.ts';
import type {TerminalGuard} from '../workspace/terminal-guard.ts';

/**
 * Undoes the terminal's modes when the process ends before the UI has: in the process itself where it still can act, and by the
 * guard where it cannot. (Node restores the terminal's settings itself when it ends.)
 */
export function makeTerminalKeeper(guard: TerminalGuard, terminal: NodeJS.WriteStream & {fd: number}): TerminalKeeper {
  let undo = '';
  const onExit = (): void => {
    // A terminal that takes nothing would keep weft here; the guard waits for it instead.
    if (undo === '' || terminal.writableLength > 0) return;
    try {
      // There is no time for the stream now.
      writeSync(terminal.fd, undo);
    } catch {
      // The terminal is gone.
    }
    guard.release();
  };
  return {
    keep(next) {
      if (undo === '') process.on('exit', onExit);
      undo = `${always}${next}`;
      guard.keep(undo);
    },
    release() {
      undo = '';
      process.off('exit', onExit);
      guard.release();
    },
  };
}

/** For a UI that switches on no modes: what is to be undone are the terminal's settings alone, and nothing is written. */
export function makeSettingsKeeper(guard: TerminalGuard): TerminalKeeper {
  return {keep: () => guard.keep(''), release: () => guard.release()};
}

/** Weft may end in the middle of a frame: shown again are the frame, plain letters and the cursor. */
const always = '\u001B[?2026l\u001B[0m\u001B[?25h';
