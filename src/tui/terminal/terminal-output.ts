import type {ScreenSize} from '../../actions/ports.ts';
import {
  type DrawnLines,
  endsFrame,
  type ErasedLines,
  erasedLines,
  eraseLines,
  harmlessFrame,
  isOnlyFrame,
  type SentFrame,
} from './erase-by-lines.ts';
import {extentQuery, type PositionQuery, type TerminalPosition} from './cursor-position.ts';

/** A finished resize, after which the drawn frame must be erased. */
export interface SizeChange {
  readonly before: ScreenSize;
  readonly now: ScreenSize;
  /** The current row of the cursor, counted from 0. */
  readonly cursorRow: number | 'unknown';
}

/** Erasing the drawn frame line by line, while the terminal may still be resizing. */
interface LinesErasing {
  readonly drawn: DrawnLines;
  /** Called with the rows that the lines had. `undefined` if the terminal does not answer. */
  readonly erased: (found: ErasedLines | undefined) => void;
}

/** Erasing rows. The terminal may have another size by the time that it erases. */
export interface RowsErasing {
  readonly text: string;
  /** Called with the cursor's row just before erasing, and the terminal's last column. `undefined` if the terminal does not answer. */
  readonly erased: (at: TerminalPosition | undefined) => void;
}

/** Ink's stdout, and the functions that Ink lacks. */
export interface TerminalOutput {
  /**
   * The stream for Ink. Combines the writes of one tick into one, as a synchronized update if the terminal supports it.
   * Its size changes only after a resize is over, without an event: Ink would erase before the reflowed rows are known.
   */
  readonly stdout: NodeJS.WriteStream;
  readonly size: ScreenSize;
  /** True if a frame can be written now. Otherwise `onReady` is called when it can. */
  readonly ready: boolean;
  /** Sends the writes of this tick, whatever the size is. */
  flush(): void;
  /** Writes text that is sent even if the frame after it is dropped because of a resize. */
  writeSurely(text: string): void;
  /** Discards what `use` writes, because it would erase a frame that is no longer on the screen. */
  drop(use: () => void): void;
  /** Hands the terminal to another program until `resume`: stdout blocks again, and its size is not watched. */
  pause(): void;
  resume(): void;
}

export interface OutputTerminal {
  readonly stdout: NodeJS.WriteStream;
  /** Whether the terminal has reported support for synchronized output. */
  synchronized(): boolean;
  erasing(): EraseBehaviour;
  resizeSignals(): ResizeSignals;
  /** Writes a query and resolves to the cursor positions in its replies, or `undefined` if the terminal does not answer. */
  positions(query: PositionQuery): Promise<readonly TerminalPosition[] | undefined>;
  /** Called with all written text when it is written. */
  wrote(text: string): void;
}

export interface OutputListener {
  readonly onErase: (change: SizeChange) => RowsErasing | 'nothing';
  /** Called before the size is stable, to erase line by line. Afterwards nothing counts as drawn. */
  readonly onEraseLines: (before: ScreenSize) => LinesErasing;
  /** True while the agent writes. `onSettled` waits for its end. */
  readonly isMoving: () => boolean;
  /** Called some time after a change of the width, with the cursor's row on the screen. `onResize` follows. */
  readonly onSettled: (cursorRow: number) => RowsErasing | 'nothing';
  /** Called once the size is stable and the old frame is erased. */
  readonly onResize: () => void;
  /**
   * How to erase the drawn frame after a resize. `by-lines`: at the first change, before the terminal moves its cursor
   * further. `by-rows`: once the size is stable, where the terminal says how many rows it has erased.
   */
  readonly erasing: () => 'by-lines' | 'by-rows';
  readonly onSent: () => void;
  /** Called if the terminal had other columns when it took the frame, so that the frame's lines were wrapped. */
  readonly onWrapped: (columns: number) => void;
  /** Called if a frame was not sent because the terminal's size had changed. `onErase` and `onResize` follow. */
  readonly onDropped: () => void;
  readonly onReady: () => void;
}

/**
 * Milliseconds without a size change before drawing resumes. During a resize nothing is drawn: a frame would arrive too late for its
 * size, and rows of the scrollback would be taken for the live region. `late` is longer than the 250 ms for which tmux delays
 * the signal of a further change, so that none is pending when drawing resumes.
 */
const restMs = {'at-once': 80, late: 330} as const;

/**
 * Milliseconds from drawing after a change of the width until the rows above are written again. While somebody drags the window, their
 * places change too fast.
 */
const settleMs = 430;

/** The number of checks after which the size counts as stable. */
const maxTries = 10;

/**
 * Writes one frame at a time. A slow terminal gets the newest frame once it has taken the previous one. Pending bytes stay in the
 * stream, and weft keeps reading keys.
 */
export function openOutput(terminal: OutputTerminal, events: OutputListener): TerminalOutput {
  const {stdout} = terminal;
  const {onReady} = events;
  let size = sizeOf(stdout);
  let parts: string[] = [];
  let restTimer: NodeJS.Timeout | undefined;
  let tries = 0;
  let settleTimer: NodeJS.Timeout | undefined;
  /**
   * `waits`: the width has changed, and `onSettled` follows. `due`: it follows unless the size changes again. `later`: it follows once
   * nothing moves.
   */
  let settling: 'done' | 'waits' | 'due' | 'later' = 'done';
  let isPaused = false;
  /** True while a resize is being drawn, in one frame with its erasing. */
  let isResizing = false;
  /** True if the current resize has already erased the drawn frame. */
  let isErased = false;
  let erased = Promise.resolve();
  /** True until the first frame after a resize is sent. The next resize may come while it is on its way. */
  let asksWidth = false;
  let last: SentFrame | 'none' = 'none';
  /** The number of parts that are sent whatever the size is. */
  let sureParts = 0;
  let underWay = 0;
  /** True if `ready` was read while the terminal was not ready. */
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
    if (!endsFrame(drawn)) return;
    events.onSent();
    if (settling === 'later') settle();
    if (asksWidth) erased = erased.then(askWidth);
    asksWidth = false;
  };
  const askWidth = async (): Promise<void> => {
    const at = (await terminal.positions(extentQuery))?.[0];
    if (at !== undefined && at.column !== size.columns) events.onWrapped(at.column);
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

  /** Checks whether the size is stable. The terminal may have a new size without a signal yet: tmux signals up to 250 ms late. */
  const restingAt = async (): Promise<'moving' | number | 'unknown'> => {
    if (!isSame(sizeNow(stdout), sizeOf(stdout))) return 'moving';
    const found = (await terminal.positions(extentQuery))?.[0];
    // The size may have changed again while the terminal answered.
    if (!isSame(sizeNow(stdout), sizeOf(stdout))) return 'moving';
    if (found === undefined) return 'unknown';
    return found.column === sizeOf(stdout).columns ? found.row - 1 : 'moving';
  };
  const eraseByLines = async (): Promise<void> => {
    flush('what fits');
    last = 'none';
    const {drawn, erased: answered} = events.onEraseLines(size);
    answered(erasedLines((await terminal.positions(eraseLines(drawn, size.columns))) ?? []));
  };
  const eraseRows = async ({text, erased: answered}: RowsErasing, row: number | 'unknown'): Promise<void> => {
    const own = withOwnSequences(text, terminal.erasing());
    last = 'none';
    if (row === 'unknown') {
      sendUpdate(own);
      return answered(undefined);
    }
    answered((await terminal.positions({text: extentQuery.text + own, replies: extentQuery.replies}))?.[0]);
  };
  const rest = async (): Promise<void> => {
    const timer = restTimer;
    const isOver = (): boolean => timer !== restTimer || isPaused;
    if (isOver()) return;
    const cursorRow = await restingAt();
    if (isOver()) return;
    if (++tries < maxTries && cursorRow === 'moving') {
      rearm();
      return;
    }
    const now = sizeOf(stdout);
    const row = cursorRow === 'moving' ? 'unknown' : cursorRow;
    const isSettled = settling === 'due' && isSame(size, now);
    const whenSettled = (): RowsErasing | 'nothing' => (row === 'unknown' ? 'nothing' : events.onSettled(row));
    const erasing = isSettled ? whenSettled() : events.onErase({before: size, now, cursorRow: row});
    if (erasing !== 'nothing') await eraseRows(erasing, row);
    if (isOver()) return;
    restTimer = undefined;
    isResizing = true;
    if (isSettled) settling = 'done';
    else if (now.columns !== size.columns) settling = 'waits';
    // A terminal that does not say where its cursor is would be asked in vain.
    if (settling === 'waits' && row !== 'unknown') settleTimer = setTimeout(settle, settleMs);
    size = now;
    isErased = false;
    asksWidth = row !== 'unknown' && events.erasing() === 'by-rows';
    events.onResize();
    isResizing = false;
    waited = false;
    onReady();
  };
  const rearm = (after: number = restMs[terminal.resizeSignals()]): void => {
    clearTimeout(restTimer);
    clearTimeout(settleTimer);
    restTimer = setTimeout(() => {
      erased = erased.then(rest);
    }, after);
  };
  const settle = (): void => {
    settling = events.isMoving() ? 'later' : 'due';
    if (settling === 'later') return;
    tries = 0;
    rearm(0);
  };
  const resized = (): void => {
    tries = 0;
    if (settling !== 'done') settling = 'waits';
    rearm();
    if (!isErased && events.erasing() === 'by-lines') {
      isErased = true;
      erased = erased.then(eraseByLines);
    }
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
      clearTimeout(settleTimer);
      restTimer = undefined;
      settling = 'done';
      isErased = false;
      last = 'none';
      stdout.off('resize', resized);
      setBlocking(stdout, 'on');
    },
    resume() {
      isPaused = false;
      // A process that is stopped gets no signal of a resize.
      if ('getWindowSize' in stdout) [stdout.columns, stdout.rows] = stdout.getWindowSize();
      size = sizeOf(stdout);
      stdout.on('resize', resized);
      setBlocking(stdout, 'off');
    },
  };
}

/**
 * Switches blocking writes on or off. Node writes to a terminal synchronously, so a terminal that does not read would block weft.
 * An attached program writes without frames and should be blocked, so blocking is on for it.
 */
function setBlocking(stdout: NodeJS.WriteStream, wanted: 'on' | 'off'): void {
  const handle: unknown = Reflect.get(stdout, '_handle');
  if (typeof handle !== 'object' || handle === null || !('setBlocking' in handle)) return;
  if (typeof handle.setBlocking === 'function') handle.setBlocking(wanted === 'on');
}

/** Returns the size from the system call, which is newer than the last resize event. */
function sizeNow(stdout: NodeJS.WriteStream): ScreenSize {
  if (!('getWindowSize' in stdout)) return sizeOf(stdout);
  const [columns, rows] = stdout.getWindowSize();
  return known({columns, rows});
}

const isSame = (one: ScreenSize, other: ScreenSize): boolean =>
  one.columns === other.columns && one.rows === other.rows;

export const sizeOf = ({columns, rows}: NodeJS.WriteStream): ScreenSize => known({columns, rows});

/** A terminal whose size was never set reports zero. In that case, weft assumes 80 by 24. */
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
 * `keeping`: if erasing begins in the first cell of the screen, the terminal moves the screen's content into the scrollback.
 * `plain`: the terminal only erases.
 */
export type EraseBehaviour = 'keeping' | 'plain';

/** `late`: after one resize signal the terminal delays the next, although it has already reflowed its rows (tmux). */
export type ResizeSignals = 'at-once' | 'late';

/** Reads the secondary device attributes (DA2). tmux and GNU screen keep erased content. */
export const eraseBehaviourOf = (attributes: string): EraseBehaviour =>
  ['83', '84'].includes(attributes.split(';')[0] ?? '') ? 'keeping' : 'plain';

/**
 * Adapts Ink's output to the terminal:
 * - Removes Ink's synchronized-update marks, which Ink writes without checking for support.
 * - Moves down by line feeds.
 * - Begins erasing in the second cell if the terminal keeps erased content.
 * - Clears the alternate screen, and stops the mouse wheel from sending arrow keys there, which would recall earlier prompts.
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
 * Ink moves down only to its last drawn row and to begin the next one. A terminal that became lower may have dropped those rows
 * before it signaled the resize. A move would then end too high, and the move back up in finished text. A line feed recreates the row.
 */
// oxlint-disable-next-line no-control-regex -- sequences of the terminal
const movesDown = /\u001B\[(\d*)[BE]/gu;
const enterAlternate = '\u001B[?1049h';
const leaveAlternate = '\u001B[?1049l';

/** Clears the alternate screen and moves the cursor to its first cell. */
export const clearScreen = '\u001B[0m\u001B[2J\u001B[H';

/** Returns a proxy of the stream with some members replaced. The other methods stay bound to the stream, because they use private fields. */
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

/** Calls `leave` when the terminal is gone (end of input or a failed write) or the signal aborts. Returns a function that stops watching. */
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
