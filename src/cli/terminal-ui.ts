import {existsSync, writeSync} from 'node:fs';
import type {Writable} from 'node:stream';
import type {Preferences} from '../domain/preferences.ts';

import type {TerminalWatchdog} from '../workspace/exec/watchdog.ts';
import type {TerminalRestorer, TuiExit, TuiOptions} from '../tui/options.ts';

/** A front end in the terminal: the screen, or the lines for screen readers. */
export interface TerminalUi {
  run(options: TuiOptions, signal: AbortSignal): Promise<TuiExit>;
  keeper(watchdog: TerminalWatchdog, terminal: Writable & {readonly fd: number}): TerminalRestorer;
  /** The mistakes in the user's key bindings file, in sentences. */
  readonly notices: readonly string[];
}

/**
 * Loads the front end that the preferences ask for, and only that one: append-only lines with `accessible`, otherwise the screen. It
 * has the keys of the file `keyBindings` (empty for none), which is read first, because the texts of the screen name keys.
 */
export async function loadTerminalUi(
  {accessible}: Pick<Preferences, 'accessible'>,
  keyBindings: string,
): Promise<TerminalUi> {
  const notices = await applyKeyBindings(keyBindings);
  if (!accessible) {
    await (await import('../tui/terminal/yoga.ts')).loadLayout();
    const {runTui} = await import('../tui/run-tui.tsx');
    return {run: runTui, keeper: makeTerminalRestorer, notices};
  }
  const {runAccessible} = await import('../tui/accessible/run-accessible.ts');
  const echo = (process.env['INSIDE_EMACS'] ?? '').includes('comint') ? 'none' : 'own';
  return {
    run: (options, signal) => runAccessible({...options, echo}, signal),
    keeper: makeSettingsRestorer,
    notices,
  };
}

/** Applies the user's key bindings file if there is one. Returns what is wrong in it. */
async function applyKeyBindings(file: string): Promise<readonly string[]> {
  if (file === '' || !existsSync(file)) return [];
  const [{readKeyBindings}, {setUserKeys}] = await Promise.all([
    import('./key-bindings-file.ts'),
    import('../tui/terminal/keymap.ts'),
  ]);
  const read = readKeyBindings(file);
  if (read.tag === 'failed') return [read.error];
  setUserKeys(read.value.keys);
  const [first, ...more] = read.value.problems;
  if (first === undefined) return [];
  return [`keybindings.json: ${first}${more.length === 0 ? '' : ` weft keys check names ${more.length} more.`}`];
}

/**
 * Resets the terminal's modes if the process ends before the UI does. The process does so itself if it still can; otherwise the
 * watchdog does. (Node restores the terminal's settings itself when it exits.)
 */
function makeTerminalRestorer(
  watchdog: TerminalWatchdog,
  terminal: Writable & {readonly fd: number},
): TerminalRestorer {
  let undo = '';
  const onExit = (): void => {
    // Writing to a terminal that takes no output would block weft here. The watchdog waits for it instead.
    if (undo === '' || terminal.writableLength > 0) return;
    try {
      // Writes synchronously: the process exits, so there is no time for the stream.
      if (writeSync(terminal.fd, undo) === Buffer.byteLength(undo)) watchdog.release();
    } catch {
      // The terminal is gone or takes no output now. The watchdog waits for it.
    }
  };
  let latest = 0;
  /** Calls `done` once the terminal has taken all that was written, unless something newer is kept by then. */
  const afterOutput = (done: () => void): void => {
    const call = ++latest;
    if (terminal.writableLength === 0) done();
    else terminal.write('', () => call === latest && done());
  };
  const keepNow = (sequences: string): void => {
    undo = sequences;
    watchdog.setUndo(undo);
  };
  return {
    keep(next) {
      if (undo === '') process.on('exit', onExit);
      const wanted = `${always}${next}`;
      // The sequences that end a mode may still wait for the terminal, and would be lost if weft ended now.
      const earlier = undo.split(escape).filter(sequence => !wanted.includes(escape + sequence));
      if (terminal.writableLength > 0) keepNow(wanted + earlier.map(sequence => escape + sequence).join(''));
      afterOutput(() => keepNow(wanted));
    },
    release: () =>
      afterOutput(() => {
        undo = '';
        process.off('exit', onExit);
        watchdog.release();
      }),
  };
}

/** For a UI that sets no modes: only the terminal's settings are restored, and nothing is written. */
function makeSettingsRestorer(watchdog: TerminalWatchdog): TerminalRestorer {
  return {keep: () => watchdog.setUndo(''), release: () => watchdog.release()};
}

const escape = '\u001B';

/** Sequences that show the frame, plain text and the cursor again: weft may end in the middle of a frame. */
const always = '\u001B[?2026l\u001B[0m\u001B[?25h';
