import type {ScreenSize} from '../../actions/ports.ts';
import {type DrawnLines, endsFrame, eraseLines, harmlessFrame, isOnlyFrame, type SentFrame} from './erase-by-lines.ts';
import {extentQuery, type PositionQuery, type TerminalPosition} from './cursor-position.ts';

/** What was drawn is to be erased, since the size is another one and stays it. */
export interface SizeChange {
  readonly before: ScreenSize;
  readonly now: ScreenSize;
  /** The row of the cursor now, counted from 0. */
  readonly cursorRow: number | 'unknown';
}

/** What was drawn is being erased line by line, while the terminal may go through further sizes. */
interface LinesErasing {
  readonly drawn: DrawnLines;
  /** Called with the row below the last line before that, and the terminal's last column; `undefined` if it does not answer. */
  readonly erased: (below: TerminalPosition | undefined) => void;
}

/** Stdout as Ink gets it, and what Ink knows nothing of. */
export interface TerminalOutput {
  /**
   * For Ink. What is written within one tick becomes one write, as a synchronized update where the terminal supports it. The size
   * changes only once a resize is over; Ink hears nothing of it, since it would erase before the rows that were reflowed are known.
   */
  readonly stdout: NodeJS.WriteStream;
  readonly size: ScreenSize;
  /** Whether a frame could be written now; else `onReady` is called when it can. */
  readonly ready: boolean;
  /** Sends what has been written in this tick, whatever the size is. */
  flush(): void;
  /** Writes what is sent also if the frame behind it is for a size that is gone. */
  writeSurely(text: string): void;
  /** Sends nothing of what `use` writes, for what is on the screen no longer. */
  drop(use: () => void): void;
  /** Another program has the terminal, until `resume`: stdout blocks again, and its size is not watched. */
  pause(): void;
  resume(): void;
}

export interface OutputTerminal {
  readonly stdout: NodeJS.WriteStream;
  /** Whether the terminal has reported support for synchronized output. */
  synchronized(): boolean;
  erasing(): EraseBehaviour;
  resizeSignals(): ResizeSignals;
  /** Writes a query and waits for its replies, so many positions of the cursor; `undefined` if the terminal does not answer. */
  positions(query: PositionQuery): Promise<readonly TerminalPosition[] | undefined>;
  /** Called with everything that is written, when it is. */
  wrote(text: string): void;
}

export interface OutputListener {
  readonly onErase: (change: SizeChange) => void;
  /** The same before the size is stable; from here on nothing counts as drawn. */
  readonly onEraseLines: (before: ScreenSize) => LinesErasing;
  /** Called once the size is stable and what was drawn is erased; what it writes is one frame, with the erasing at rest. */
  readonly onResize: () => void;
  /** `by-lines`: at the first change, before the terminal moves its cursor further. `by-rows`: once the size is stable. */
  readonly erasing: () => 'by-lines' | 'by-rows';
  readonly onSent: () => void;
  /** A frame was not sent, since the terminal has another size than it was laid out for; `onErase` and `onResize` follow. */
  readonly onDropped: () => void;
  readonly onReady: () => void;
}

/**
 * Nothing is drawn while the terminal is being resized: a frame would arrive when the size it was laid out for is gone, and rows of the
 * scrollback would be taken for the live region. Milliseconds since the last change; `late` is more than the quarter of a second for which
 * tmux holds back the signal of a further change, so that none is held back when drawing begins.
 */
const restMs = {'at-once': 80, late: 300} as const;

/** After so many checks the size is taken to be stable. */
const maxTries = 10;

/**
 * Writes one frame at a time. A terminal behind a slow line gets the newest frame when it has taken the one before; pending bytes
 * stay in the stream, and weft goes on reading keys.
 */
export function openOutput(terminal: OutputTerminal, events: OutputListener): TerminalOutput {
  const {stdout} = terminal;
  const {onReady} = events;
  let size = sizeOf(stdout);
  let parts: string[] = [];
  let restTimer: NodeJS.Timeout | undefined;
  let tries = 0;
  let isPaused = false;
  /** Whether a resize is being drawn: in one frame with the erasing before it. */
  let isResizing = false;
  /** Whether the change of size that goes on has erased what was drawn. */
  let isErased = false;
  let erased = Promise.resolve();
  let last: SentFrame | 'none' = 'none';
  /** How many of the parts are sent whatever the size is. */
  let sureParts = 0;
  let underWay = 0;
  /** Whether `ready` was read while the terminal was not ready. */
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
    if (restTimer === undefined && !isPaused && !isSame(sizeNow(stdout), size)) resized();
    return restTimer === undefined && underWay === 0 && (parts.length === 0 || isResizing);
  };
  const sendUpdate = (text: string): void => {
    if (text === '') return;
    terminal.wrote(text);
    send(terminal.synchronized() ? `${beginUpdate}${text}${endUpdate}` : text);
  };
  const flush = (of: 'all' | 'what fits'): void => {
    const drawn = parts.join('');
    const sure = parts.slice(0, sureParts).join('');
    parts = [];
    sureParts = 0;
    if (of === 'what fits' && isOnlyFrame(drawn) && !isPaused && !isSame(sizeNow(stdout), size)) {
      sendUpdate(sure);
      events.onDropped();
      if (restTimer === undefined) resized();
      return;
    }
    if (events.erasing() === 'by-lines' && endsFrame(drawn)) last = harmlessFrame(drawn, last);
    sendUpdate(last !== 'none' && endsFrame(drawn) ? last.text : drawn);
    if (endsFrame(drawn)) events.onSent();
  };

  const write = (chunk: string | Uint8Array, after?: (error?: Error | null) => void): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const own = withOwnSequences(text, terminal.erasing());
    if (own !== '') {
      if (parts.length === 0) queueMicrotask(() => flush('what fits'));
      parts.push(own);
    }
    if (after !== undefined) {
      flush('all');
      stdout.write('', after);
    }
    return true;
  };

  /** The terminal may already have another size that was not signalled yet (tmux signals a quarter of a second late). */
  const restingAt = async (): Promise<'moving' | number | 'unknown'> => {
    if (!isSame(sizeNow(stdout), sizeOf(stdout))) return 'moving';
    // A wider terminal wraps nothing; but one that signals late may have become narrower since.
    const isWider = stdout.columns >= size.columns && stdout.rows >= size.rows;
    if (isWider && terminal.resizeSignals() === 'at-once') return 'unknown';
    const found = (await terminal.positions(extentQuery))?.[0];
    // The size may have changed again while the terminal answered.
    if (!isSame(sizeNow(stdout), sizeOf(stdout))) return 'moving';
    if (found === undefined) return 'unknown';
    return found.column === sizeOf(stdout).columns ? found.row - 1 : 'moving';
  };
  const eraseByLines = async (): Promise<void> => {
    isErased = true;
    flush('what fits');
    last = 'none';
    const {drawn, erased: answered} = events.onEraseLines(size);
    answered((await terminal.positions(eraseLines(drawn, size.columns)))?.[0]);
  };
  const rest = async (): Promise<void> => {
    const change = restTimer;
    await erased;
    const cursorRow = await restingAt();
    if (++tries < maxTries && cursorRow === 'moving') {
      if (change === restTimer) rearm();
      return;
    }
    if (change !== restTimer || isPaused) return;
    restTimer = undefined;
    isResizing = true;
    const now = sizeOf(stdout);
    if (!isErased) {
      events.onErase({before: size, now, cursorRow: cursorRow === 'moving' ? 'unknown' : cursorRow});
    }
    size = now;
    isErased = false;
    events.onResize();
    isResizing = false;
    waited = false;
    onReady();
  };
  const rearm = (): void => {
    clearTimeout(restTimer);
    restTimer = setTimeout(() => void rest(), restMs[terminal.resizeSignals()]);
  };
  const resized = (): void => {
    tries = 0;
    rearm();
    if (!isErased && events.erasing() === 'by-lines') erased = eraseByLines();
  };
  stdout.on('resize', resized);
  setBlocking(stdout, 'off');

  const listen =
    (how: 'on' | 'off') =>
    (event: string, listener: (...given: unknown[]) => void): NodeJS.WriteStream => {
      if (event !== 'resize') stdout[how](event, listener);
      return proxy;
    };
  const proxy: NodeJS.WriteStream = overrideStream(stdout, {
    write,
    on: listen('on'),
    off: listen('off'),
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
      if (isReady()) return true;
      waited = true;
      return false;
    },
    flush: () => flush('all'),
    writeSurely(text) {
      proxy.write(text);
      sureParts = parts.length;
    },
    drop(use) {
      const kept = parts;
      parts = [];
      use();
      parts = kept;
    },
    pause() {
      flush('all');
      isPaused = true;
      clearTimeout(restTimer);
      restTimer = undefined;
      isErased = false;
      last = 'none';
      stdout.off('resize', resized);
      setBlocking(stdout, 'on');
    },
    resume() {
      isPaused = false;
      size = sizeOf(stdout);
      stdout.on('resize', resized);
      setBlocking(stdout, 'off');
    },
  };
}

/**
 * Node writes to a terminal synchronously, so that a terminal which does not read would block weft. An attached program writes without
 * frames and is to be blocked, so blocking is switched on again for it.
 */
function setBlocking(stdout: NodeJS.WriteStream, wanted: 'on' | 'off'): void {
  const handle: unknown = Reflect.get(stdout, '_handle');
  if (typeof handle !== 'object' || handle === null || !('setBlocking' in handle)) return;
  if (typeof handle.setBlocking === 'function') handle.setBlocking(wanted === 'on');
}

/** The size by the system call, which is newer than the last resize event. */
function sizeNow(stdout: NodeJS.WriteStream): ScreenSize {
  if (!('getWindowSize' in stdout)) return sizeOf(stdout);
  const [columns, rows] = stdout.getWindowSize();
  return known({columns, rows});
}

const isSame = (one: ScreenSize, other: ScreenSize): boolean =>
  one.columns === other.columns && one.rows === other.rows;

export const sizeOf = ({columns, rows}: NodeJS.WriteStream): ScreenSize => known({columns, rows});

/** A terminal whose size was never set reports zero: 80 by 24 is assumed. */
const known = ({columns, rows}: ScreenSize): ScreenSize => ({
  columns: columns === 0 ? 80 : columns,
  rows: rows === 0 ? 24 : rows,
});

/** Synchronized update (DEC mode 2026). */
const beginUpdate = '\u001B[?2026h';
const endUpdate = '\u001B[?2026l';

/** Erases from the cursor to the end of the screen (ED 0). */
const eraseBelow = '\u001B[J';

/**
 * `keeping`: the terminal treats erasing from the first cell of the screen as clearing it, and moves what was there into the
 * scrollback. `plain`: it only erases.
 */
export type EraseBehaviour = 'keeping' | 'plain';

/** `late`: after one signal of a changed size the terminal holds back the next, although it has reflowed its rows already (tmux). */
export type ResizeSignals = 'at-once' | 'late';

/** Reads the secondary device attributes (DA2): tmux and GNU screen keep what is erased. */
export const eraseBehaviourOf = (attributes: string): EraseBehaviour =>
  ['83', '84'].includes(attributes.split(';')[0] ?? '') ? 'keeping' : 'plain';

/**
 * What Ink writes, as the terminal is to get it: Ink's own marks of updates are left out, since they are written without asking the
 * terminal; rows below are reached by line feeds; erasing begins in the second cell where the terminal keeps what is erased; the alternate screen is cleared, and the mouse
 * wheel, which some terminals turn into arrow keys there, does not recall earlier prompts.
 */
function withOwnSequences(output: string, erasing: EraseBehaviour): string {
  if (!output.includes('\u001B')) return output;
  const plain = output
    .replaceAll(updateMarks, '')
    .replaceAll(movesDown, (_move, rows: string) => '\n'.repeat(Math.max(1, Number(rows))))
    .replaceAll(enterAlternate, `${enterAlternate}\u001B[?1007s\u001B[?1007l${clearScreen}`)
    .replaceAll(leaveAlternate, `\u001B[0m\u001B[?1007r${leaveAlternate}`);
  return erasing === 'keeping' ? plain.replaceAll(eraseBelow, `\u001B7\u001B[K\u001B[C${eraseBelow}\u001B8`) : plain;
}

// oxlint-disable-next-line no-control-regex -- sequences of the terminal
const updateMarks = /\u001B\[\?2026[hl]/gu;
/**
 * Ink moves down only to the row it has drawn last and to begin the next one. A terminal that has become lower may have dropped those rows
 * before it has said so: a move would end above them, and the way back up in finished text. A line feed makes the row anew.
 */
// oxlint-disable-next-line no-control-regex -- sequences of the terminal
const movesDown = /\u001B\[(\d*)[BE]/gu;
const enterAlternate = '\u001B[?1049h';
const leaveAlternate = '\u001B[?1049l';

/** Clears the alternate screen; the cursor is in its first cell. */
export const clearScreen = '\u001B[0m\u001B[2J\u001B[H';

/** A proxy of the stream with some members replaced. The other methods stay bound to the stream, because they use its private fields. */
export const overrideStream = <Stream extends object>(
  stream: Stream,
  own: {readonly [Key in keyof Stream]?: unknown},
): Stream =>
  new Proxy(stream, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key);
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

interface Ends {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Calls `leave` when the terminal is gone (end of input or a failed write) or the signal aborts; returns how to stop watching. */
export function watchTerminalEnd({stdin, stdout, signal}: Ends, leave: () => void): () => void {
  stdin.on('end', leave);
  stdout.on('error', leave);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  return () => {
    stdin.off('end', leave);
    stdout.off('error', leave);
    signal.removeEventListener('abort', leave);
  };
}
