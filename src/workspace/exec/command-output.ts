import {createWriteStream, rmSync, type WriteStream} from 'node:fs';
import {isHighSurrogate} from '../../base/clip.ts';
import type {BoundedOutput, OutputFilter} from '../../actions/ports.ts';
import {causeText} from '../../domain/fault.ts';
import {makeTerminalText} from './terminal-text.ts';

/** The maximum amount of output of a command that is kept as text, in UTF-16 units. */
export const maxOutputLength = 30_000;

export interface OutputCollector {
  /** Takes the next bytes. If it returns a promise, the disk is behind: continue when the promise resolves. */
  push(bytes: Uint8Array): Promise<void> | undefined;
  finish(): Promise<BoundedOutput>;
  /** Returns the output so far, and what takes all later output. The collector takes nothing after this call. */
  handOver(): {readonly output: BoundedOutput; readonly raw: RawOutput; readonly filter: OutputFilter};
}

/**
 * Collects the output of a command in bounded memory. The plain text keeps its head and tail, and all of it passes through a filter.
 * Once the text leaves something out, all bytes go to the file that `newFile` then names. `observe` gets the plain text as it comes.
 * Output that comes faster than a person reads is shown in part. The rest goes to the file unfiltered.
 */
export function collectOutput(options: {
  readonly newFile: () => string;
  readonly observe: (text: string) => void;
  /** Makes a filter for output without a context. */
  readonly filter: () => OutputFilter;
}): OutputCollector {
  let decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  let terminal = makeTerminalText();
  const bounded = makeBoundedText(maxOutputLength);
  const raw = collectRawOutput(options.newFile);
  let filter = options.filter();
  let filtered = filteredOutput(filter, pass);
  /** The last pieces of much output, unfiltered. */
  let waiting: Uint8Array[] = [];
  let waitingLength = 0;
  /** Whether output before `waiting` was not filtered. */
  let isCut = false;
  let timer: NodeJS.Timeout | undefined;

  function pass(bytes: Uint8Array): Promise<void> | undefined {
    if (isCut) bounded.leaveOut(bytes);
    else take(decoder.decode(bytes, {stream: true}));
    if (bounded.overflowed) raw.spill();
    return raw.push(bytes);
  }

  function take(decoded: string): void {
    if (decoded === '') return;
    const {settled, live} = terminal.push(decoded);
    bounded.add(settled);
    if (live !== '') options.observe(live);
  }

  function wait(bytes: Uint8Array): Promise<void> | undefined {
    timer ??= setTimeout(showWaiting, showMs).unref();
    waiting.push(bytes);
    waitingLength += bytes.length;
    let behind: Promise<void> | undefined;
    while (waitingLength - (waiting[0]?.length ?? 0) >= maxWaiting) {
      if (!isCut) beginCut();
      const first = waiting.shift() ?? nothing;
      waitingLength -= first.length;
      behind = pass(first) ?? behind;
    }
    return behind;
  }

  function beginCut(): void {
    settle();
    isCut = true;
    void filtered.end();
    decoder = new TextDecoder('utf-8', {ignoreBOM: true});
    terminal = makeTerminalText();
  }

  function settle(): void {
    take(decoder.decode());
    bounded.add(terminal.end());
  }

  function showWaiting(): void {
    clearTimeout(timer);
    timer = undefined;
    const bytes = Buffer.concat(waiting);
    waiting = [];
    waitingLength = 0;
    if (!isCut) return void filtered.push(bytes);
    filter = options.filter();
    filtered = filteredOutput(filter, pass);
    const start = lineStart(bytes, 0);
    const shownFrom = lineStart(bytes, start + maxContext);
    void pass(bytes.subarray(0, start));
    // A secret may have begun before the output that is shown.
    void filtered.push(bytes.subarray(start, shownFrom));
    isCut = false;
    options.observe('\n[…]\n');
    void filtered.push(bytes.subarray(shownFrom));
  }

  /** Returns the file with the complete output; empty if the text is complete. */
  function end(): string {
    settle();
    return bounded.overflowed ? raw.spill() : '';
  }

  const outputWith = ({file, missing}: SpillEnd): BoundedOutput => ({
    text: bounded.text(missing),
    totalBytes: raw.totalBytes(),
    leftOutLines: bounded.leftOutLines(),
    file,
  });

  return {
    push: bytes =>
      waitingLength > 0 || (bounded.overflowed && bytes.length >= minWaiting) ? wait(bytes) : filtered.push(bytes),
    async finish() {
      if (waitingLength > 0) showWaiting();
      void filtered.end();
      end();
      return outputWith(await raw.close());
    },
    handOver() {
      if (waitingLength > 0) showWaiting();
      filtered.stop();
      const file = end();
      return {output: outputWith({file: file === '' ? undefined : file, missing: ''}), raw, filter};
    },
  };
}

const nothing = new Uint8Array();

/** The shortest piece of output that may wait, and how much waits, in bytes. */
const minWaiting = 16 * 1024;
const maxWaiting = 192 * 1024;

/** Milliseconds for which output waits. */
const showMs = 100;

/** How many bytes before the shown output are filtered with it. A private key is shorter. */
const maxContext = 32 * 1024;

/** Returns where the first line after a position begins, or the position if the line is long. No text depends on the lines before it. */
const lineStart = (bytes: Buffer, at: number): number => at + bytes.subarray(at, at + maxContext).indexOf(lineFeed) + 1;

const lineFeed = 0x0a;

/** The exact bytes that a command wrote: a few in memory, more in a file. */
export interface RawOutput {
  /** Takes the next bytes. If it returns a promise, the disk is behind: continue when the promise resolves. */
  push(bytes: Uint8Array): Promise<void> | undefined;
  /**
   * Writes all output to a file from now on, because the displayed text is incomplete. Returns the file's path; empty
   * if weft could not create the file.
   */
  spill(): string;
  totalBytes(): number;
  /** Call this after the last bytes. Resolves when the file is complete. */
  close(): Promise<SpillEnd>;
}

/** Bytes kept in memory before weft creates a file. Progress bars print many bytes for little text. */
const maxBytesInMemory = 128 * 1024;

/** `newFile` names the file when it is needed, see `openSpillFile`. */
export function collectRawOutput(newFile: () => string): RawOutput {
  let inMemory: Uint8Array[] = [];
  let total = 0;
  let file: SpillFile | undefined;
  let closed = false;
  let behind: Promise<void> | undefined;

  function open(): SpillFile {
    if (file !== undefined) return file;
    file = openSpillFile(newFile);
    behind = file.write(Buffer.concat(inMemory));
    inMemory = [];
    if (closed) void file.close();
    return file;
  }

  return {
    push(bytes) {
      total += bytes.length;
      if (file === undefined) inMemory.push(bytes);
      else behind = file.write(bytes);
      if (file === undefined && total > maxBytesInMemory) open();
      const waiting = behind;
      behind = undefined;
      return waiting;
    },
    spill: () => open().path,
    totalBytes: () => total,
    async close() {
      closed = true;
      return file === undefined ? {file: undefined, missing: ''} : file.close();
    },
  };
}

/** A file that takes the complete output if it is long. */
interface SpillFile {
  /** Empty if weft could not create the file. */
  readonly path: string;
  /** Takes the next bytes. If it returns a promise, the disk is behind: wait before writing more. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  close(): Promise<SpillEnd>;
}

/** `missing` says why the file is incomplete; empty if it is complete. */
interface SpillEnd {
  readonly file: string | undefined;
  readonly missing: string;
}

/** Bytes after which a file takes no more: a command that never stops must not fill the disk. */
const maxSpillBytes = 512 * 1024 * 1024;

/** The maximum number of bytes that wait for the disk. More would stay until V8 collects all memory. */
const maxUnwritten = 192 * 1024;

/**
 * Creates the file that `newFile` names, readable by the owner only. The file must not exist; `newFile` may throw. Disk
 * errors are reported by `close`.
 */
export function openSpillFile(newFile: () => string, largest = maxSpillBytes): SpillFile {
  let path = '';
  let bytesLeft = largest;
  let problem = '';
  let behind: PromiseWithResolvers<void> | undefined;
  const stream = open();

  function open(): WriteStream | undefined {
    try {
      path = newFile();
    } catch (cause) {
      problem = causeText(cause);
      return undefined;
    }
    const opened = createWriteStream(path, {flags: 'wx', mode: 0o600, highWaterMark: maxUnwritten});
    opened.on('error', cause => {
      problem = cause.message;
      // Part of the output would keep a full disk full.
      if (opened.bytesWritten > 0) rmSync(path, {force: true});
      proceed();
    });
    opened.on('drain', proceed);
    return opened;
  }

  function proceed(): void {
    behind?.resolve();
    behind = undefined;
  }

  return {
    path,
    write(bytes) {
      if (stream === undefined || problem !== '' || bytesLeft === 0) return undefined;
      const kept = bytes.length > bytesLeft ? bytes.subarray(0, bytesLeft) : bytes;
      bytesLeft -= kept.length;
      if (stream.write(kept)) return undefined;
      behind ??= Promise.withResolvers<void>();
      return behind.promise;
    },
    async close() {
      if (stream === undefined) return {file: undefined, missing: `it could not be saved: ${problem}`};
      if (!stream.destroyed) {
        const closed = Promise.withResolvers<void>();
        stream.once('close', closed.resolve);
        stream.end();
        await closed.promise;
      }
      if (problem !== '') return {file: undefined, missing: `it could not be saved: ${problem}`};
      return {file: path, missing: bytesLeft === 0 ? `the file ends after ${largest} bytes` : ''};
    },
  };
}

export interface BoundedText {
  add(text: string): void;
  /** Counts more output as left out, once something was left out. The tail begins after it. */
  leaveOut(bytes: Uint8Array): void;
  readonly overflowed: boolean;
  /** The number of lines that `text` leaves out. */
  leftOutLines(): number;
  /**
   * Returns the whole text. If something was left out: the head, a line with the number of missing bytes (and `reason`,
   * if not empty), the tail.
   */
  text(reason: string): string;
}

/** Keeps the first 2/5 and the last 3/5 of `bound` UTF-16 units of the added text. It uses memory of that order. */
export function makeBoundedText(bound: number): BoundedText {
  const headRoom = Math.floor((bound * 2) / 5);
  const tailRoom = bound - headRoom;
  let head = '';
  let tail = '';
  let length = 0;
  let bytes = 0;
  let lines = 0;
  const shown = (): readonly [first: string, last: string] => [endAtLine(head), startAtLine(tail.slice(-tailRoom))];

  return {
    add(text) {
      length += text.length;
      bytes += Buffer.byteLength(text);
      lines += linesIn(text);
      const toHead = text.slice(0, headRoom - head.length);
      head += toHead;
      tail = text.length - toHead.length >= tailRoom ? text.slice(-tailRoom) : tail + text.slice(toHead.length);
      if (tail.length > tailRoom * 2) tail = tail.slice(-tailRoom);
    },
    leaveOut(more) {
      bytes += more.length;
      // Finding line ends in a text is faster than in bytes.
      lines += linesIn(Buffer.from(more.buffer, more.byteOffset, more.length).toString('latin1'));
      tail = '';
    },
    get overflowed() {
      return length > bound;
    },
    leftOutLines: () => (length <= bound ? 0 : lines - shown().reduce((sum, part) => sum + linesIn(part), 0)),
    text(reason) {
      if (length <= bound) return head + tail;
      const [first, last] = shown();
      const missing = bytes - Buffer.byteLength(first) - Buffer.byteLength(last);
      const gap = `[… ${missing} bytes left out${reason === '' ? '' : `; ${reason}`} …]`;
      return `${first}${first.endsWith('\n') ? '' : '\n'}${gap}\n${last}`;
    },
  };
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** The maximum amount of text to drop so that a cut falls between lines, in UTF-16 units. */
const maxDroppedForLine = 1000;

function endAtLine(text: string): string {
  const end = text.lastIndexOf('\n') + 1;
  if (end > 0 && text.length - end <= maxDroppedForLine) return text.slice(0, end);
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
}

function startAtLine(text: string): string {
  const start = text.indexOf('\n') + 1;
  if (start > 0 && start <= maxDroppedForLine) return text.slice(start);
  return isLowSurrogate(text.charCodeAt(0)) ? text.slice(1) : text;
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Milliseconds without output after which the filter releases what it holds back, which may end in a prompt. */
const pauseMs = 200;

export interface FilteredOutput<T> {
  push(bytes: Uint8Array): T;
  /** Passes on what the filter can release during a pause, which may be nothing. */
  pause(): void;
  /** Passes on everything that the filter still holds. */
  end(): T;
  /** Leaves the rest in the filter for the next reader of the output. */
  stop(): void;
}

/** Calls `pass` with the filter's output, at once and after each pause. */
export function filteredOutput<T>(filter: OutputFilter, pass: (bytes: Uint8Array) => T): FilteredOutput<T> {
  let timer: NodeJS.Timeout | undefined;
  const pause = (): void => void pass(filter.pause());
  return {
    push(bytes) {
      timer ??= setTimeout(pause, pauseMs).unref();
      timer.refresh();
      return pass(filter.push(bytes));
    },
    pause,
    end() {
      clearTimeout(timer);
      return pass(filter.end());
    },
    stop: () => clearTimeout(timer),
  };
}
