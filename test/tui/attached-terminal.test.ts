import {expect, test} from 'vitest';
import type {AttachedTerminal, TerminalControl} from '../../src/actions/ports.ts';
import {failed, ok} from '../../src/base/outcome.ts';
import {rejected} from '../../src/domain/fault.ts';
import {blockId} from '../../src/domain/ids.ts';
import {attachTerminal} from '../../src/tui/terminal/attached-terminal.ts';
import {TerminalSessions} from '../../src/tui/terminal/terminal-sessions.ts';
import {scriptedEngine} from './support/scripted-engine.ts';
import {openVirtualScreen} from '../support/virtual-screen.ts';

const block = blockId('b1');

const refuse = (): never => {
  throw new Error('not asked for here');
};

/** A desk with one block whose program a test plays. */
function desk() {
  const state = {terminal: undefined as AttachedTerminal | undefined, keys: '', sizes: [] as string[], attached: 0};
  const port: TerminalControl = {
    list: refuse,
    watch: refuse,
    stop: refuse,
    keep: refuse,
    attach(id, terminal) {
      if (id !== block) return failed(rejected(`There is no block ${id}.`));
      state.terminal = terminal;
      state.attached += 1;
      state.sizes.push(`${terminal.size.columns}x${terminal.size.rows}`);
      terminal.show('$ present screen\r\n');
      return ok({
        write: keys => {
          state.keys += keys;
        },
        resize: size => state.sizes.push(`${size.columns}x${size.rows}`),
        detach: () => {
          state.attached -= 1;
        },
      });
    },
  };
  return {port, state};
}

const sessionsOf = (terminals: TerminalControl): TerminalSessions =>
  new TerminalSessions(scriptedEngine({terminals}), () => 0);

const nothing = (): void => {};

/** Nothing of weft waits for the user. */
const quiet = {awaitsAnswer: () => false, watch: () => nothing, forBlock: (text: string) => text};

const attach = (
  screen: ReturnType<typeof openVirtualScreen>,
  port: TerminalControl,
  signal = new AbortController().signal,
) =>
  attachTerminal(
    {...quiet, stdin: screen.stdin, stdout: screen.stdout, terminals: sessionsOf(port), block, command: 'npm run dev'},
    signal,
  );

test('keys go to the program, its output to the screen, and the last row names the key that ends it', async () => {
  const screen = openVirtualScreen(60, 8);
  screen.stdout.write('before\n');
  screen.stdin.setRawMode(true);
  const {port, state} = desk();
  const end = attach(screen, port);
  await screen.until(/present screen[^]*Ctrl\+\] back to weft · npm run dev/u);
  await screen.type('yes\r');
  // More lines than there are rows: the program scrolls above weft's row; and it clears the screen and frees the region.
  state.terminal?.show(
    `${Array.from({length: 20}, (_, n) => `line ${n}\r\n`).join('')}\u001B[r\u001B[2J\u001B[Hcleared`,
  );
  await screen.until(/^cleared[^]*Ctrl\+\]/u);
  screen.resize(50, 6);
  const typed = screen.type('typed\u001Dfor weft');
  expect(await end).toEqual({kind: 'detached'});
  expect(String(screen.stdin.read())).toBe('for weft');
  await typed;
  expect(state).toMatchObject({keys: 'yes\rtyped', sizes: ['60x7', '50x5'], attached: 0});
  expect((await screen.rows())[0]).toBe('before');
});

test.each([
  ['plainly', '\u001D'],
  ['in the kitty protocol', '\u001B[93;5u'],
  ['with a lock and the kind of event', '\u001B[93;133:1u'],
  ["as xterm's modified key", '\u001B[27;5;93~'],
])('the key gives it back, sent %s', async (_how, key) => {
  const screen = openVirtualScreen(60, 8);
  screen.stdin.setRawMode(true);
  const {port, state} = desk();
  const end = attach(screen, port);
  await screen.until(/present screen/u);
  await screen.type(`typed${key}`);
  expect(await end).toEqual({kind: 'detached'});
  expect(state.keys).toBe('typed');
});

test('that weft waits for an answer is told in the last row, as long as it does', async () => {
  const screen = openVirtualScreen(60, 8);
  const {port, state} = desk();
  const {stdin, stdout} = screen;
  let asking = false;
  let tell = nothing;
  const watch = (listener: () => void): (() => void) => {
    tell = listener;
    return () => {
      tell = nothing;
    };
  };
  const options = {
    ...quiet,
    stdin,
    stdout,
    terminals: sessionsOf(port),
    block,
    command: 'vim',
    awaitsAnswer: () => asking,
    watch,
  };
  const end = attachTerminal(options, new AbortController().signal);
  await screen.until(/Ctrl\+\] back to weft · vim/u);
  asking = true;
  tell();
  await screen.until(/weft needs your answer · Ctrl\+\] back to weft · vim/u);
  asking = false;
  tell();
  await screen.until(/Ctrl\+\] back to weft · vim/u);
  state.terminal?.ended();
  await end;
  const written = screen.written();
  asking = true;
  tell();
  expect(screen.written()).toBe(written);
});

test("a program keeps off weft's row, however far it moves", async () => {
  const screen = openVirtualScreen(60, 8);
  const {port, state} = desk();
  const end = attach(screen, port);
  state.terminal?.show('\u001B[2J\u001B[1;999r\u001B[999;1Hlast\r\nscrolled\u001B[99dbelow');
  await screen.until(/last\n *scrolled *below\n *Ctrl\+\]/u);
  state.terminal?.ended();
  await end;
});

test('the end of the command, of the input and an abort give the terminal back', async () => {
  const ended = openVirtualScreen(60, 8);
  const first = desk();
  const end = attach(ended, first.port);
  first.state.terminal?.ended();
  expect(await end).toEqual({kind: 'ended'});

  const gone = openVirtualScreen(60, 8);
  gone.stdin.setRawMode(true);
  const second = desk();
  const hungUp = attach(gone, second.port);
  gone.hangUp();
  expect(await hungUp).toEqual({kind: 'detached'});

  const aborted = desk();
  expect(await attach(openVirtualScreen(60, 8), aborted.port, AbortSignal.abort())).toEqual({kind: 'detached'});
  expect([first.state.attached, second.state.attached, aborted.state.attached]).toEqual([0, 0, 0]);
});

test('a block that is not there is a sentence, and the screen is as before', async () => {
  const screen = openVirtualScreen(60, 8);
  screen.stdout.write('before\n');
  const {port} = desk();
  const {stdin, stdout} = screen;
  const options = {...quiet, stdin, stdout, terminals: sessionsOf(port), block: blockId('b9'), command: ''};
  expect(await attachTerminal(options, new AbortController().signal)).toEqual({
    kind: 'refused',
    message: 'There is no block b9.',
  });
  expect((await screen.rows())[0]).toBe('before');
});
