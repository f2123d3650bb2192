import {PassThrough, Writable} from 'node:stream';
import {setImmediate as nextTurn, setTimeout as pause} from 'node:timers/promises';
import headless from '@xterm/headless';
import {drawScreen} from './draw-screen.ts';
import {lookUntil} from './look-until.ts';

/** A terminal in memory: what a program writes is interpreted as a real one would, and keys can be typed at it. */
export interface VirtualScreen {
  readonly stdout: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
  /** Every byte written so far. */
  written(): string;
  /** The visible rows, right-trimmed. */
  rows(): Promise<readonly string[]>;
  /** Every row, scrollback first, trailing empty ones left out. */
  everything(): Promise<readonly string[]>;
  /** What tmux would have moved into its scrollback, taking an erasing from the first row down for a clearing of the screen. */
  pushedAway(): Promise<readonly string[]>;
  /** The visible screen as SVG, colors included. */
  picture(title: string): Promise<string>;
  cursor(): Promise<{readonly x: number; readonly y: number}>;
  /** Resolves when the visible rows (joined by line feeds) match; rejects after two seconds with the screen. */
  until(pattern: RegExp): Promise<void>;
  /** Resolves when the program has read it. */
  type(keys: string): Promise<void>;
  paste(text: string): Promise<void>;
  resize(columns: number, rows: number): void;
  /** Resizes the terminal without a signal to the program, as tmux does for a quarter of a second. */
  resizeUnsaid(columns: number, rows: number): void;
  /** From now on the terminal answers what it is asked, as xterm.js does. */
  answer(): void;
  /** End of input, as when the window is closed. */
  hangUp(): void;
  rawMode(): 'raw' | 'cooked';
}

/** Between two deliveries of the keyboard. */
const keyGapMs = 12;

/**
 * Escape may begin a sequence: weft waits 10 ms for more of a terminal's reply, and then Ink 20 ms for more of a key. Each wait here is set
 * after theirs and is longer, so that it ends after theirs however slow the machine is.
 */
const escapeIsOver = async (): Promise<void> => {
  await pause(keyGapMs);
  await pause(22);
};

export function openVirtualScreen(columns: number, rows: number): VirtualScreen {
  const terminal = new headless.Terminal({cols: columns, rows, scrollback: 5000, allowProposedApi: true});
  const pushed: string[] = [];
  terminal.parser.registerCsiHandler({final: 'J'}, params => {
    const {cursorX, cursorY, baseY} = terminal.buffer.active;
    if (params[0] === 0 && cursorX === 0 && cursorY === 0) {
      pushed.push(
        ...lines(baseY)
          .slice(0, terminal.rows)
          .filter(row => row !== ''),
      );
    }
    return false;
  });
  let all = '';
  let pending = Promise.resolve();
  const keyboard = {raw: false};
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const text = String(chunk);
      all += text;
      // A terminal driver turns line feeds into CR LF.
      pending = pending.then(() => new Promise(resolve => terminal.write(text.replaceAll(/\r?\n/gu, '\r\n'), resolve)));
      done();
    },
  });
  const stdout = Object.assign(output, {isTTY: true, columns, rows});
  const input = new PassThrough();
  const stdin = Object.assign(input, {
    isTTY: true,
    setRawMode(on: boolean) {
      keyboard.raw = on;
      return stdin;
    },
    ref: () => stdin,
    unref: () => stdin,
  });
  const lines = (from: number): string[] => {
    const buffer = terminal.buffer.active;
    return Array.from(
      {length: buffer.length - from},
      (_, at) => buffer.getLine(from + at)?.translateToString(true) ?? '',
    );
  };
  const visibleRows = async (): Promise<readonly string[]> => {
    await pending;
    return lines(terminal.buffer.active.baseY).slice(0, terminal.rows);
  };
  /** Who reads keys has seen by then that no more of them came with the last: its own wait began earlier, in the same process. */
  let gap = Promise.resolve();
  const deliver = async (bytes: string): Promise<void> => {
    input.write(bytes);
    do await nextTurn();
    while (input.readableLength > 0 && keyboard.raw);
  };
  return {
    /* oxlint-disable typescript/no-unsafe-type-assertion -- the parts of a TTY stream that the program under test uses */
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin: stdin as unknown as NodeJS.ReadStream,
    /* oxlint-enable typescript/no-unsafe-type-assertion */
    written: () => all,
    rows: visibleRows,
    async everything() {
      await pending;
      const found = lines(0);
      while (found.at(-1) === '') found.pop();
      return found;
    },
    async pushedAway() {
      await pending;
      return pushed;
    },
    async picture(title) {
      await pending;
      return drawScreen(terminal, {title, firstRow: 0});
    },
    async cursor() {
      await pending;
      return {x: terminal.buffer.active.cursorX, y: terminal.buffer.active.cursorY};
    },
    until: pattern =>
      lookUntil(
        async () => pattern.test((await visibleRows()).join('\n')),
        async () => `never saw ${String(pattern)} on:\n${(await visibleRows()).join('\n')}`,
      ),
    async type(keys) {
      // Faster than anybody's fingers it would be a paste.
      await gap;
      await deliver(keys);
      gap = (keys.endsWith('\u001B') ? escapeIsOver() : pause(keyGapMs)).then(() => nextTurn());
    },
    paste: text => deliver(`\u001B[200~${text}\u001B[201~`),
    resize(nextColumns, nextRows) {
      terminal.resize(nextColumns, nextRows);
      stdout.columns = nextColumns;
      stdout.rows = nextRows;
      output.emit('resize');
    },
    resizeUnsaid(nextColumns, nextRows) {
      terminal.resize(nextColumns, nextRows);
    },
    answer() {
      terminal.onData(reply => input.write(reply));
    },
    hangUp() {
      input.end();
    },
    rawMode: () => (keyboard.raw ? 'raw' : 'cooked'),
  };
}
