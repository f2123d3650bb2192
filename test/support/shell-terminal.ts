import {lookUntil} from './look-until.ts';
import {openPtyOf} from './pty-terminal.ts';
import {weftBin, type TempPlace} from './run-weft.ts';

/** A shell in a terminal, as a user has it before starting weft. */
export interface ShellTerminal extends AsyncDisposable {
  /** Types characters as they are. */
  type(text: string): Promise<void>;
  /** Presses keys by tmux's names: `Enter`, `Escape`, `C-c`. */
  press(...keys: readonly string[]): Promise<void>;
  /** Presses a key again and again until everything written so far matches. */
  pressUntil(key: string, pattern: RegExp): Promise<void>;
  /** Everything written so far, scrollback first, right-trimmed. */
  text(): Promise<string>;
  /** Resolves when everything written so far matches; rejects with it when that takes too long. */
  until(pattern: RegExp): Promise<void>;
  /** The visible rows alone, right-trimmed. */
  screen(): Promise<string>;
  /** Resolves when the visible rows match; rejects with everything when that takes too long. */
  onScreen(pattern: RegExp): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** Goes through all sizes without a pause. */
  resizeAll(sizes: readonly (readonly [columns: number, rows: number])[]): Promise<void>;
  /** The modes a program could leave behind: cursor, keypad, mouse, alternate screen. */
  modes(): Promise<string>;
}

/** What is typed in a shell first, so that `weft` is the built program there: its child, as a user's would be. */
export const weftInShell = `weft() { node '${weftBin}' "$@"; }; PS1='sh> '; printf '\\033[H\\033[J\\033[3J'`;

/** What terminals send for the keys that are no characters. */
const named: Readonly<Record<string, string>> = {
  Enter: '\r',
  Escape: '\u001B',
  Tab: '\t',
  BTab: '\u001B[Z',
  BSpace: '\u007F',
  Space: ' ',
  Up: '\u001B[A',
  Down: '\u001B[B',
};

const bytesOf = (key: string): string => {
  const control = /^C-(?<letter>[a-z])$/u.exec(key)?.groups?.['letter'];
  return control === undefined ? (named[key] ?? key) : String.fromCodePoint((control.codePointAt(0) ?? 0) % 32);
};

/** Milliseconds between two deliveries: keys that come closer together would be a paste. */
const keyGapMs = 15;

/** Milliseconds from what is seen to the next key: a card does not take an answer that comes sooner after the key before it. */
const seenGapMs = 60;

/** A plain `sh` with the prompt `sh> `, which sets no modes itself, in the workspace, in a terminal in memory. */
export async function openTerminal(
  place: TempPlace,
  environment: Readonly<Record<string, string>>,
): Promise<ShellTerminal> {
  const pty = openPtyOf('sh', [], {
    cols: 100,
    rows: 40,
    cwd: place.work,
    env: place.environment({TERM: 'xterm-256color', ...environment}),
    answers: 'all',
  });
  let ready = 0;
  const deliver = async (bytes: string): Promise<void> => {
    const early = ready - performance.now();
    if (early > 0) await new Promise(resolve => setTimeout(resolve, early));
    pty.type(bytes);
    ready = performance.now() + keyGapMs;
  };
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await deliver(bytesOf(key));
  };
  const text = async (): Promise<string> => (await pty.everything()).join('\n').trimEnd();
  const screen = async (): Promise<string> => (await pty.rows()).join('\n');
  const seen = async (pattern: RegExp, look: () => Promise<string>): Promise<void> => {
    await lookUntil(
      async () => pattern.test(await look()),
      async () => `never saw ${String(pattern)} on:\n${await text()}`,
    );
    ready = performance.now() + seenGapMs;
  };
  await deliver(`${weftInShell}\r`);
  await seen(/^sh>$/u, text);
  return {
    type: deliver,
    press,
    pressUntil: (key, pattern) =>
      seen(pattern, async () => {
        await press(key);
        return text();
      }),
    text,
    until: pattern => seen(pattern, text),
    screen,
    onScreen: pattern => seen(pattern, screen),
    async resize(columns, rows) {
      pty.resize(columns, rows);
    },
    async resizeAll(sizes) {
      for (const [columns, rows] of sizes) pty.resize(columns, rows);
    },
    async modes() {
      const {screen: shown, cursorShown, ...others} = await pty.modes();
      return `cursor ${cursorShown === true ? 1 : 0} alternate ${shown === 'alternate' ? 1 : 0} ${JSON.stringify(others)}`;
    },
    async [Symbol.asyncDispose]() {
      pty[Symbol.dispose]();
    },
  };
}
