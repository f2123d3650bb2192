import {createWriteStream, type WriteStream} from 'node:fs';
import type {BoundedOutput, OutputFilter} from '../../actions/ports.ts';
import {causeText} from '../../domain/fault.ts';
import {makeTerminalText} from './terminal-text.ts';

/** UTF-16 units of a command's output that are kept as text. */
export const outputBound = 30_000;

export interface OutputCollector {
  /** Takes the next bytes. A promise means that the disk is behind: read on when it resolves. */
  push(bytes: Uint8Array): Promise<void> | undefined;
  finish(): Promise<BoundedOutput>;
  /** The output so far; the whole of it goes on in `raw`, which takes what comes later. Nothing is pushed here any more. */
  handOver(): {readonly output: BoundedOutput; readonly raw: RawOutput};
}

/**
 * Collects the output of a command in bounded memory: plain text with head and tail, and once that is not all of it, the raw
 * bytes in the file that `newFile` names then. `observe` gets the plain text as it comes.
 */
export function collectOutput(options: {
  readonly newFile: () => string;
  readonly observe: (text: string) => void;
}): OutputCollector {
  const decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  const terminal = makeTerminalText();
  const bounded = makeBoundedText(outputBound);
  const raw = collectRawOutput(options.newFile);

  function take(decoded: string): void {
    if (decoded === '') return;
    const {settled, live} = terminal.push(decoded);
    bounded.add(settled);
    if (live !== '') options.observe(live);
  }

  /** The file of the whole output; empty where the text is all of it. */
  function end(): string {
    take(decoder.decode());
    bounded.add(terminal.end());
    return bounded.overflowed ? raw.spill() : '';
  }

  const outputWith = ({file, missing}: SpillEnd): BoundedOutput => ({
    text: bounded.text(missing),
    totalBytes: raw.totalBytes(),
    leftOutLines: bounded.leftOutLines(),
    file,
  });

  return {
    push(bytes) {
      take(decoder.decode(bytes, {stream: true}));
      if (bounded.overflowed) raw.spill();
      return raw.push(bytes);
    },
    async finish() {
      end();
      return outputWith(await raw.close());
    },
    handOver() {
      const file = end();
      return {output: outputWith({file: file === '' ? undefined : file, missing: ''}), raw};
    },
  };
}

/** Every byte a command wrote, as it wrote it: a little in memory, more in a file. */
export interface RawOutput {
  /** Takes the next bytes. A promise means that the disk is behind: go on when it resolves. */
  push(bytes: Uint8Array): Promise<void> | undefined;
  /** Writes all output to a file from now on, because the shown text leaves a part out. Returns its path; empty where none could be made. */
  spill(): string;
  totalBytes(): number;
  /** To be called after the last bytes; resolves when the file is complete. */
  close(): Promise<SpillEnd>;
}

/** Bytes kept in memory before a file is made: progress bars are much output for little text. */
const heldBound = 128 * 1024;

/** `newFile` names the file when it is needed, see `openSpillFile`. */
export function collectRawOutput(newFile: () => string): RawOutput {
  let held: Uint8Array[] = [];
  let total = 0;
  let file: SpillFile | undefined;
  let closed = false;
  let behind: Promise<void> | undefined;

  function open(): SpillFile {
    if (file !== undefined) return file;
    file = openSpillFile(newFile);
    behind = file.write(Buffer.concat(held));
    held = [];
    if (closed) void file.close();
    return file;
  }

  return {
    push(bytes) {
      total += bytes.length;
      if (file === undefined) held.push(bytes);
      else behind = file.write(bytes);
      if (file === undefined && total > heldBound) open();
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

/** A file that takes the whole of a long output. */
interface SpillFile {
  /** Empty where none could be made. */
  readonly path: string;
  /** A promise when the disk is behind: wait for it before writing more. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  close(): Promise<SpillEnd>;
}

/** `missing` says why the file does not hold everything; empty when it does. */
interface SpillEnd {
  readonly file: string | undefined;
  readonly missing: string;
}

/** Bytes after which a file takes no more: a command that never stops must not fill the disk. */
const largestSpill = 512 * 1024 * 1024;

/**
 * Creates the file that `newFile` names (which must not exist; it may throw), readable by the owner only. Trouble with the disk
 * is no failure: see `close`.
 */
export function openSpillFile(newFile: () => string, largest = largestSpill): SpillFile {
  let path = '';
  let room = largest;
  let trouble = '';
  let behind: PromiseWithResolvers<void> | undefined;
  const stream = open();

  function open(): WriteStream | undefined {
    try {
      path = newFile();
    } catch (cause) {
      trouble = causeText(cause);
      return undefined;
    }
    const opened = createWriteStream(path, {flags: 'wx', mode: 0o600, highWaterMark: 1024 * 1024});
    opened.on('error', cause => {
      trouble = cause.message;
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
      if (stream === undefined || trouble !== '' || room === 0) return undefined;
      const kept = bytes.length > room ? bytes.subarray(0, room) : bytes;
      room -= kept.length;
      if (stream.write(kept)) return undefined;
      behind ??= Promise.withResolvers<void>();
      return behind.promise;
    },
    async close() {
      if (stream === undefined) return {file: undefined, missing: `it could not be kept: ${trouble}`};
      if (!stream.destroyed) {
        const closed = Promise.withResolvers<void>();
        stream.once('close', closed.resolve);
        stream.end();
        await closed.promise;
      }
      if (trouble !== '') return {file: undefined, missing: `it could not be kept: ${trouble}`};
      return {file: path, missing: room === 0 ? `the file ends after ${largest} bytes` : ''};
    },
  };
}

export interface BoundedText {
  add(text: string): void;
  /** Whether something had to be left out. */
  readonly overflowed: boolean;
  /** Lines of what `text` leaves out. */
  leftOutLines(): number;
  /** Head, a line that says how many bytes are missing (and `reason`, when not empty), tail; or all of it. */
  text(reason: string): string;
}

/** Keeps the first 2/5 and the last 3/5 of `bound` UTF-16 units of whatever is added, in memory of that order. */
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

/** A whole line is worth this much text (UTF-16 units) at a border. */
const lineSearch = 1000;

function endAtLine(text: string): string {
  const end = text.lastIndexOf('\n') + 1;
  if (end > 0 && text.length - end <= lineSearch) return text.slice(0, end);
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
}

function startAtLine(text: string): string {
  const start = text.indexOf('\n') + 1;
  if (start > 0 && start <= lineSearch) return text.slice(start);
  return isLowSurrogate(text.charCodeAt(0)) ? text.slice(1) : text;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Milliseconds without output after which the filter is asked for what it holds back: a prompt may end in it. */
const pauseMs = 200;

/** Output on its way through a filter. */
export interface FilteredOutput<T> {
  push(bytes: Uint8Array): T;
  /** Passes on what the filter holds back for no good reason, as a pause does. */
  pause(): void;
  /** Passes on the rest. */
  end(): T;
  /** Leaves the rest in the filter, for the next who reads the output. */
  stop(): void;
}

/** Gives `pass` what comes through the filter, at once and after a pause. */
export function filteredOutput<T>(filter: OutputFilter, pass: (bytes: Uint8Array) => T): FilteredOutput<T> {
  let timer: NodeJS.Timeout | undefined;
  const pause = (): void => {
    const held = filter.pause();
    if (held.length > 0) pass(held);
  };
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
