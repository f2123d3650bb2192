import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {lookUntil} from './look-until.ts';
import type {TempPlace} from './run-weft.ts';
import {weftInShell, type ShellTerminal} from './shell-terminal.ts';

const execute = promisify(execFile);

/** The same shell as of `openTerminal`, in a tmux server of its own. The test has to say that it needs tmux. */
export async function openTmux(
  place: TempPlace,
  environment: Readonly<Record<string, string>>,
): Promise<ShellTerminal> {
  const socket = join(place.home, 'tmux');
  const tmux = async (...args: readonly string[]): Promise<string> =>
    (await execute('tmux', ['-S', socket, '-f', '/dev/null', ...args], {env: place.environment(environment)})).stdout;
  await tmux('new-session', '-d', '-x', '100', '-y', '40', '-c', place.work, 'sh');
  const text = async (): Promise<string> => (await tmux('capture-pane', '-p', '-J', '-S', '-')).trimEnd();
  const screen = (): Promise<string> => tmux('capture-pane', '-p');
  const seen = (pattern: RegExp, look: () => Promise<string>): Promise<void> =>
    lookUntil(
      async () => pattern.test(await look()),
      async () => `never saw ${String(pattern)} on:\n${await text()}`,
    );
  const terminal: ShellTerminal = {
    type: async characters => void (await tmux('send-keys', '-l', '--', characters)),
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    pressUntil: (key, pattern) =>
      seen(pattern, async () => {
        await tmux('send-keys', key);
        return text();
      }),
    text,
    until: pattern => seen(pattern, text),
    screen,
    onScreen: pattern => seen(pattern, screen),
    resize: async (columns, rows) => void (await tmux('resize-window', '-x', String(columns), '-y', String(rows))),
    resizeAll: async sizes =>
      void (await tmux(
        ...sizes
          .flatMap(([columns, rows]) => [';', 'resize-window', '-x', String(columns), '-y', String(rows)])
          .slice(1),
      )),
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
  await terminal.type(weftInShell);
  await terminal.press('Enter');
  await terminal.until(/^sh>$/u);
  return terminal;
}
