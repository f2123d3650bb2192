import {unreachable} from '../../base/unreachable.ts';
import {JsonBrackets, type JsonRead, JsonValueReader} from './json-values.ts';
import {isPossibleSseField, LineSplitter, looksLikeSse, parseSseLine} from './line-splitter.ts';
import {readBareText, readPayloadText, readSseData, readJsonItem, type StreamItem} from './read-item.ts';

/** One item of the input, with the line where it begins, counted from 1. */
export type TaskItemRead = StreamItem & {readonly line: number};

export interface TaskReader {
  /** Yields the items that `piece` completes, lazily. Consume each result before the next `push`. */
  push(piece: string): Iterable<TaskItemRead>;
  /** Yields the items that the end of the input completes. */
  end(): Iterable<TaskItemRead>;
}

/**
 * Reads task-protocol input as it arrives: base64 payloads one per line, JSON (one value per line or pretty-printed),
 * or server-sent events. With `auto`, each line decides its own format. Unreadable input becomes a separate item, and
 * reading continues. Memory is bounded by one line, JSON value or server-sent event, of at most 64 MiB.
 */
export function makeTaskReader({input}: {readonly input: 'auto' | 'base64' | 'json' | 'sse'}): TaskReader {
  const lines = new LineSplitter(maxHeldChars);
  const json = new JsonValueReader(maxHeldChars);
  const sse = new SseData();
  let found: TaskItemRead[] = [];
  let isStart = true;
  /** True once a line of a server-sent event was read. Unknown fields are expected from then on. */
  let isSse = false;

  const add = (items: readonly StreamItem[], line: number): void => {
    for (const item of items) found.push(atLine(item, line));
  };
  const flushSse = (): void => {
    for (const {items, line} of sse.end()) add(items, line);
  };

  function takeLine(text: string, line: number): void {
    switch (input) {
      case 'sse':
        takeSse(text, line);
        break;
      case 'json':
        takeJson(text, line);
        break;
      case 'base64':
        if (text.trim() !== '') add([readPayloadText(text.trim())], line);
        break;
      case 'auto':
        takeAny(text, line);
        break;
      default:
        unreachable(input);
    }
  }

  function takeAny(text: string, line: number): void {
    if (json.isOpen || /^\s*[{[]/u.test(text)) {
      flushSse();
      takeJson(text, line);
    } else if (looksLikeSse(text) || (isSse && text.includes(':') && isPossibleSseField(text))) takeSse(text, line);
    else {
      flushSse();
      const trimmed = text.trim();
      if (trimmed !== '') add([readBareText(trimmed)], line);
    }
  }

  function takeSse(text: string, line: number): void {
    const read = parseSseLine(text);
    isSse = true;
    switch (read.kind) {
      case 'data':
        for (const {items, line: start} of sse.push(read.text, line)) add(items, start);
        break;
      case 'end':
        flushSse();
        break;
      case 'stranger':
        add([{tag: 'broken', message: 'not a line of a server-sent event stream'}], line);
        break;
      case 'passed-over':
        break;
      default:
        unreachable(read);
    }
  }

  function takeJson(text: string, line: number): void {
    for (const read of json.push(text, line)) takeJsonRead(read, text.length);
  }

  function takeJsonRead(read: JsonRead, size: number): void {
    switch (read.tag) {
      case 'value':
        add(readJsonItem(read.value, size), read.line);
        break;
      case 'broken':
        add([read], read.line);
        break;
      case 'other':
        takeLine(read.text, read.line);
        break;
      default:
        unreachable(read);
    }
  }

  const taken = (): readonly TaskItemRead[] => {
    const items = found;
    found = [];
    return items;
  };

  return {
    *push(piece) {
      const text = isStart && piece.startsWith(byteOrderMark) ? piece.slice(1) : piece;
      if (piece !== '') isStart = false;
      for (const read of lines.push(text)) {
        if (read.kind === 'line') takeLine(read.text, read.line);
        else add([{tag: 'broken', message: `a line of more than ${maxHeldChars} characters`}], read.line);
        if (found.length > 0) yield* taken();
      }
    },
    *end() {
      for (const read of lines.end()) if (read.kind === 'line') takeLine(read.text, read.line);
      for (const read of json.end()) takeJsonRead(read, 0);
      flushSse();
      yield* taken();
    },
  };
}

/** Written without a spread, which is several times slower for a union. This runs for every event. */
function atLine(item: StreamItem, line: number): TaskItemRead {
  switch (item.tag) {
    case 'event':
      return {tag: 'event', event: item.event, line};
    case 'payload':
      return {tag: 'payload', payload: item.payload, line};
    case 'broken':
      return {tag: 'broken', message: item.message, line};
    default:
      return unreachable(item);
  }
}

const maxHeldChars = 64 * 1024 * 1024;
const byteOrderMark = '\uFEFF';

interface SseItems {
  readonly items: readonly StreamItem[];
  readonly line: number;
}

interface DataLine {
  readonly text: string;
  readonly line: number;
}

/**
 * Collects the data lines of the current server-sent event. They form one text. But some logs have one event per line
 * without blank lines in between, so a line that is a complete event counts as one, unless JSON is open before it.
 */
class SseData {
  #lines: DataLine[] = [];
  #size = 0;
  /** The brackets of JSON that the lines before the last one leave open; `undefined` if there are none. */
  #open: JsonBrackets | undefined;

  push(text: string, line: number): readonly SseItems[] {
    const before = this.#lines.at(-1);
    const isOpen = before !== undefined && this.#goesOn(before.text);
    const whole = before === undefined || isOpen ? [] : readSseData(before.text);
    const complete: SseItems[] = [];
    if (before !== undefined && whole.length > 0 && whole.every(isComplete)) {
      complete.push(...readData(this.#lines.slice(0, -1)), {items: whole, line: before.line});
      this.#clear();
    }
    this.#size += text.length;
    if (this.#size <= maxHeldChars) this.#lines.push({text, line});
    return complete;
  }

  end(): readonly SseItems[] {
    const lines = this.#lines;
    const isTooLong = this.#size > maxHeldChars;
    this.#clear();
    if (!isTooLong) return readData(lines);
    const items: readonly StreamItem[] = [{tag: 'broken', message: `an event of more than ${maxHeldChars} characters`}];
    return [{items, line: lines[0]?.line ?? 0}];
  }

  /** True if this line belongs to JSON that spans several lines. */
  #goesOn(text: string): boolean {
    const brackets = this.#open ?? (/^\s*[{[]/u.test(text) ? new JsonBrackets() : undefined);
    if (brackets === undefined) return false;
    let ended = false;
    for (const {kind} of brackets.through(text)) ended = kind === 'ends';
    const isWithin = !ended && (this.#open === undefined || brackets.depth > 0);
    // The line that ends the JSON belongs to it too.
    const wasOpen = this.#open !== undefined;
    this.#open = isWithin ? brackets : undefined;
    return isWithin || wasOpen;
  }

  #clear(): void {
    this.#lines = [];
    this.#size = 0;
    this.#open = undefined;
  }
}

/** Reads the lines as one text, or, if that fails, each line by itself. */
function readData(lines: readonly DataLine[]): readonly SseItems[] {
  const [first] = lines;
  if (first === undefined) return [];
  const together = readSseData(lines.map(({text}) => text).join('\n'));
  if (lines.length === 1 || !together.some(({tag}) => tag === 'broken')) return [{items: together, line: first.line}];
  const apart = lines.map(({text, line}) => ({items: readSseData(text), line}));
  return apart.some(({items}) => items.some(isComplete)) ? apart : [{items: together, line: first.line}];
}

const isComplete = (item: StreamItem): boolean =>
  (item.tag === 'event' && item.event.kind !== 'other') || (item.tag === 'payload' && item.payload.tag === 'ok');
