import {Writable} from 'node:stream';
import {expect, test} from 'vitest';
import {loadTerminalUi} from '../../../src/cli/terminal-ui.ts';

const paste = '\u001B[?2004l';
const always = '\u001B[?2026l\u001B[0m\u001B[?25h';

/** A terminal that takes its output only when told, and the orders that the watchdog gets. */
async function scene() {
  const orders: string[] = [];
  const waiting: (() => void)[] = [];
  const output = new Writable({write: (_chunk, _encoding, taken) => void waiting.push(taken)});
  const terminal = Object.assign(output, {fd: -1});
  const watchdog = {setUndo: (undo: string) => orders.push(undo), release: () => orders.push('release')};
  const ui = await loadTerminalUi({accessible: false}, '');
  const restorer = ui.keeper(watchdog, terminal);
  const take = async (): Promise<void> => {
    while (waiting.length > 0) {
      waiting.shift()?.();
      await new Promise(setImmediate);
    }
  };
  return {orders, terminal, restorer, take};
}

test('the end of a mode that still waits for the terminal is kept', async () => {
  const {orders, terminal, restorer, take} = await scene();
  restorer.keep(paste);
  expect(orders).toEqual([always + paste]);
  terminal.write(paste);
  restorer.keep('');
  expect(orders.splice(0)).toEqual([always + paste, always + paste]);
  await take();
  expect(orders.splice(0)).toEqual([always]);
  terminal.write('bye');
  restorer.release();
  expect(orders).toEqual([]);
  await take();
  expect(orders).toEqual(['release']);
});
