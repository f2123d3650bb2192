import {expect, test} from 'vitest';
import type {AttachedTerminal, BlockDesk} from '../../src/actions/ports.ts';
import {failed, ok} from '../../src/base/outcome.ts';
import {rejected} from '../../src/domain/fault.ts';
import {blockId} from '../../src/domain/ids.ts';
import {attachTerminal} from '../../src/tui/attached-terminal.ts';
import {openVirtualScreen} from '../support/virtual-screen.ts';

const block = blockId('b1');

/** A desk with one block whose program a test plays. */
function desk() {
  const state = {terminal: undefined as AttachedTerminal | undefined, keys: '', sizes: [] as string[], attached: 0};
  const refuse = (): never => {
    throw new Error('not asked for here');
  };
  const port: BlockDesk = {
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

const attach = (screen: ReturnType<typeof openVirtualScreen>, port: BlockDesk, signal = new AbortController().signal) =>
  attachTerminal({stdin: screen.stdin, stdout: screen.stdout, desk: port, block, command: 'npm run dev'}, signal);

test('keys go to the program, its output to the screen, and the last row names the key that ends it', async () => {
  const screen = openVirtualScreen(60, 8);
  screen.stdout.write('before\n');
  screen.stdin.setRawMode(true);
  const {port, state} = desk();
  const end = attach(screen, port);
  await screen.until(/present screen[^]*Ctrl\+\] gives it back to weft \| b1: npm run dev/u);
  await screen.type('yes\r');
  // More lines than there are rows: the program scrolls above weft's row; and it clears the screen and frees the region.
  state.terminal?.show(
    `${Array.from({length: 20}, (_, n) => `line ${n}\r\n`).join('')}\u001B[r\u001B[2J\u001B[Hcleared`,
  );
  await screen.until(/^cleared[^]*Ctrl\+\]/u);
  screen.resize(50, 6);
  await screen.type('typed\u001Dnot for the program');
  expect(await end).toEqual({kind: 'detached'});
  expect(state).toMatchObject({keys: 'yes\rtyped', sizes: ['60x7', '50x5'], attached: 0});
  expect((await screen.rows())[0]).toBe('before');
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
  const options = {stdin, stdout, desk: port, block: blockId('b9'), command: ''};
  expect(await attachTerminal(options, new AbortController().signal)).toEqual({
    kind: 'refused',
    message: 'There is no block b9.',
  });
  expect((await screen.rows())[0]).toBe('before');
});
