import {erasingFromSecondCell, type Erasing} from '../text/erase.ts';
import {withMembers} from './with-members.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What the size was, and the fewest rows that there were until it came to rest. */
export interface SizeChange {
  readonly before: TerminalSize;
  readonly fewestRows: number;
}

/** Stdout as a surface uses it. */
export interface TerminalOutput {
  /** What is written joins the frame; its size changes only when the terminal has come to rest. */
  readonly stdout: NodeJS.WriteStream;
  readonly size: TerminalSize;
  /** Whether a frame could be written now; else `onReady` is called when it can. */
  readonly ready: boolean;
  /** Joins all that `draw` writes into one write, shown at once where the terminal can; nothing drawn writes nothing. */
  frame(draw: () => void): void;
  /** Within a frame: whole lines for the scrollback. */
  writeLines(text: string): void;
  /** Nothing is drawn on its own account any more. */
  close(): void;
  /** After the last write: others write to the terminal in their own way. */
  release(): void;
}

/** The stream, what the terminal has said of itself, and who hears of what is written to it. */
export interface OutputTerminal {
  readonly stdout: NodeJS.WriteStream;
  /** Whether the terminal has said that it shows a frame at once. */
  synchronized(): boolean;
  erasing(): Erasing;
  /** How wide the terminal itself is now, as it says; `undefined` where it does not say. */
  width(): Promise<number | undefined>;
  /** Of everything written but lines. */
  wrote(text: string): void;
}

interface OutputListener {
  /** Within a frame, once the size has come to rest. */
  readonly onResize: (change: SizeChange) => void;
  readonly onReady: () => void;
}

/**
 * Nothing is drawn while the terminal's size is changing: what is written meanwhile would be laid out for a size that is gone when
 * it arrives, and rows above the live region would be taken for its own. In milliseconds since the last change.
 */
const restMs = 80;

/** Of looking whether it is at rest; then it is taken for that. */
const mostTries = 10;

/**
 * One frame is under way at a time. A terminal behind a slow line takes what it can, and gets the newest frame next: writes wait
 * in the stream, not in weft, which goes on reading keys.
 */
export function openOutput(terminal: OutputTerminal, {onResize, onReady}: OutputListener): TerminalOutput {
  const {stdout} = terminal;
  let size = sizeOf(stdout);
  let parts: string[] | undefined;
  let restTimer: NodeJS.Timeout | undefined;
  let tries = 0;
  let fewestRows = size.rows;
  let closed = false;
  let underWay = 0;
  /** Whether somebody has asked in vain. */
  let waited = false;

  const send = (text: string): void => {
    underWay++;
    stdout.write(text, () => {
      underWay--;
      if (underWay === 0 && waited && isReady()) {
        waited = false;
        onReady();
      }
    });
  };
  const isReady = (): boolean => {
    if (restTimer === undefined && !isSame(sizeNow(stdout), size)) resized();
    return restTimer === undefined && underWay === 0;
  };

  const write = (chunk: string | Uint8Array, after?: (error?: Error | null) => void): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const own = terminal.erasing() === 'keeping' ? erasingFromSecondCell(text) : text;
    if (own !== '') {
      terminal.wrote(own);
      if (parts === undefined) send(own);
      else parts.push(own);
    }
    if (after !== undefined) stdout.write('', after);
    return true;
  };

  const frame = (draw: () => void): void => {
    if (parts !== undefined) {
      draw();
      return;
    }
    parts = [];
    try {
      draw();
    } finally {
      const text = parts.join('');
      parts = undefined;
      if (text !== '') send(terminal.synchronized() ? `${beginUpdate}${text}${endUpdate}` : text);
    }
  };

  /** The terminal may have gone on to another size, of which word comes late (tmux tells a quarter of a second later). */
  const isAtRest = async (): Promise<boolean> => {
    if (!isSame(sizeNow(stdout), sizeOf(stdout))) return false;
    if (stdout.columns >= size.columns) return true;
    const width = await terminal.width();
    // The size may have changed again while the terminal answered.
    return isSame(sizeNow(stdout), sizeOf(stdout)) && (width === undefined || width === sizeOf(stdout).columns);
  };
  const rest = async (): Promise<void> => {
    const change = restTimer;
    if (++tries < mostTries && !(await isAtRest())) {
      if (change === restTimer) rearm();
      return;
    }
    if (change !== restTimer || closed) return;
    restTimer = undefined;
    const before = size;
    size = sizeOf(stdout);
    fewestRows = Math.min(fewestRows, size.rows);
    frame(() => onResize({before, fewestRows}));
    fewestRows = size.rows;
    waited = false;
    onReady();
  };
  const rearm = (): void => {
    clearTimeout(restTimer);
    restTimer = setTimeout(() => void rest(), restMs);
  };
  const resized = (): void => {
    tries = 0;
    fewestRows = Math.min(fewestRows, sizeNow(stdout).rows);
    rearm();
  };
  stdout.on('resize', resized);
  setBlocking(stdout, 'off');

  const proxy: NodeJS.WriteStream = withMembers(stdout, {
    write,
    get columns() {
      return size.columns;
    },
    get rows() {
      return size.rows;
    },
  });
  return {
    stdout: proxy,
    get size() {
      return size;
    },
    get ready() {
      if (parts !== undefined || isReady()) return true;
      waited = true;
      return false;
    },
    frame,
    writeLines(text) {
      if (text !== '') parts?.push(text);
    },
    release: () => setBlocking(stdout, 'on'),
    close() {
      closed = true;
      clearTimeout(restTimer);
      stdout.off('resize', resized);
    },
  };
}

/**
 * Node writes to a terminal synchronously: one that does not take what is written would hold up weft itself, keys and all. What
 * writes without frames, as a block that has the terminal, is to be held up.
 */
function setBlocking(stdout: NodeJS.WriteStream, wanted: 'on' | 'off'): void {
  const handle: unknown = Reflect.get(stdout, '_handle');
  if (typeof handle !== 'object' || handle === null || !('setBlocking' in handle)) return;
  if (typeof handle.setBlocking === 'function') handle.setBlocking(wanted === 'on');
}

/** Asked of the system: word of the latest change may not have come yet. */
function sizeNow(stdout: NodeJS.WriteStream): TerminalSize {
  if (!('getWindowSize' in stdout)) return sizeOf(stdout);
  const [columns, rows] = stdout.getWindowSize();
  return known({columns, rows});
}

const isSame = (one: TerminalSize, other: TerminalSize): boolean =>
  one.columns === other.columns && one.rows === other.rows;

export const sizeOf = ({columns, rows}: NodeJS.WriteStream): TerminalSize => known({columns, rows});

/** A terminal that was never told its size says that it has none. */
const known = ({columns, rows}: TerminalSize): TerminalSize => ({
  columns: columns === 0 ? 80 : columns,
  rows: rows === 0 ? 24 : rows,
});

/** Synchronized update (DEC mode 2026). */
const beginUpdate = '\u001B[?2026h';
const endUpdate = '\u001B[?2026l';
