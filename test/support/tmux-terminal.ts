import {execFile, execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {lookUntil} from './look-until.ts';
import {weftBin, type TempPlace} from './run-weft.ts';

const execute = promisify(execFile);

/** Whether there is a tmux to run a program in a real terminal with. */
export const hasTmux: boolean = ((): boolean => {
  try {
    execFileSync('tmux', ['-V'], {stdio: 'ignore'});
    return true;
  } catch {
    return false;
  }
})();

export interface TmuxTerminal extends AsyncDisposable {
  /** Types characters as they are. */
  type(text: string): Promise<void>;
  /** Presses keys by tmux's names: `Enter`, `Escape`, `C-c`. */
  press(...keys: readonly string[]): Promise<void>;
  /** Presses a key again and again until everything written so far matches. */
  pressUntil(key: string, pattern: RegExp): Promise<void>;
  /** Everything written so far, scrollback first, right-trimmed. */
  text(): Promise<string>;
  /** Resolves when everything written so far matches; rejects after ten seconds with it. */
  until(pattern: RegExp): Promise<void>;
  /** The same for the visible rows alone. */
  onScreen(pattern: RegExp): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** The modes a program could leave behind: cursor, keypad, mouse, alternate screen. */
  modes(): Promise<string>;
}

/**
 * A shell in a real terminal, on a tmux server of its own, in the workspace; `weft` is the built program. The shell is a plain
 * `sh` with the prompt `sh> `, so that it sets no modes itself.
 */
export async function openTerminal(
  place: TempPlace,
  environment: Readonly<Record<string, string>>,
): Promise<TmuxTerminal> {
  const socket = join(place.home, 'tmux');
  const tmux = async (...args: readonly string[]): Promise<string> =>
    (await execute('tmux', ['-S', socket, '-f', '/dev/null', ...args], {env: place.environment(environment)})).stdout;
  // `exec` in the function would end the shell, so the program is its child, as a user's would be.
  const shell = `weft() { node '${weftBin}' "$@"; }; PS1='sh> '`;
  await tmux('new-session', '-d', '-x', '100', '-y', '40', '-c', place.work, 'sh');
  const text = async (): Promise<string> => (await tmux('capture-pane', '-p', '-J', '-S', '-')).trimEnd();
  const seen = (pattern: RegExp, look: () => Promise<string>): Promise<void> =>
    lookUntil(
      async () => pattern.test(await look()),
      async () => `never saw ${String(pattern)} on:\n${await text()}`,
    );
  const terminal: TmuxTerminal = {
    type: async characters => void (await tmux('send-keys', '-l', '--', characters)),
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    pressUntil: (key, pattern) =>
      seen(pattern, async () => {
        await tmux('send-keys', key);
        return text();
      }),
    text,
    until: pattern => seen(pattern, text),
    onScreen: pattern => seen(pattern, () => tmux('capture-pane', '-p')),
    resize: async (columns, rows) => void (await tmux('resize-window', '-x', String(columns), '-y', String(rows))),
    modes: () =>
      tmux(
        'display-message',
        '-p',
        'cursor #{cursor_flag} keypad #{keypad_flag}#{keypad_cursor_flag} mouse #{mouse_any_flag} alternate #{alternate_on}',
      ),
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => {});
    },
  };
  await terminal.type(`${shell}; clear`);
  await terminal.press('Enter');
  await terminal.until(/^sh>$/u);
  return terminal;
}
