import type {JournalRecord} from '../../domain/journal.ts';
import {placeOf, plainLine} from '../text/marked-line.ts';
import type {Frame} from '../text/wrap.ts';
import type {TranscriptItem} from './transcript-items.ts';

/** A line of an item. */
export interface Position {
  readonly item: number;
  readonly line: number;
}

export interface Seek {
  readonly query: string;
  /** Not looked at itself. */
  readonly from: Position;
  readonly direction: 1 | -1;
  readonly frame: Frame;
  /** What holds everything that the lines of an item can show, so that only few are rendered. */
  readonly textOf: (item: TranscriptItem) => string;
}

/** Items kept rendered. */
const mostKept = 100;

/**
 * The lines of a transcript, of which only those near the screen exist: a place is an item and a line in it, and no count of all
 * lines is ever needed.
 */
export class Pages {
  readonly #render: (item: TranscriptItem, frame: Frame) => readonly string[];
  #items: readonly TranscriptItem[] = [];
  #records: readonly JournalRecord[] | undefined;
  #count = 0;
  #frame: Frame | undefined;
  readonly #kept = new Map<number, readonly string[]>();

  constructor(render: (item: TranscriptItem, frame: Frame) => readonly string[]) {
    this.#render = render;
  }

  /** Brings the items in line with the records; a result that has come changes the item of its call. */
  show(
    records: () => readonly JournalRecord[],
    itemsOf: (records: readonly JournalRecord[]) => readonly TranscriptItem[],
  ): void {
    const now = records();
    if (now === this.#records && now.length === this.#count) return;
    this.#records = now;
    this.#count = now.length;
    this.#items = itemsOf(now);
    this.#kept.clear();
  }

  /** Before the first line, and behind the last one. */
  readonly start: Position = {item: -1, line: 0};
  get end(): Position {
    return {item: this.#items.length, line: 0};
  }

  isBefore(a: Position, b: Position): boolean {
    return a.item < b.item || (a.item === b.item && a.line < b.line);
  }

  /** How far into the session that is. */
  percent({item}: Position): number {
    return this.#items.length < 2 ? 0 : Math.floor((100 * item) / (this.#items.length - 1));
  }

  /** `count` lines on, or back where it is negative; never before the first line or behind the last one. */
  moved(from: Position, count: number, frame: Frame): Position {
    let {item, line} = from;
    let left = count;
    while (left < 0) {
      if (line + left >= 0) return {item, line: line + left};
      if (item <= 0) return {item: 0, line: 0};
      left += line;
      item--;
      line = this.#linesOf(item, frame).length;
    }
    for (;;) {
      const length = this.#linesOf(item, frame).length;
      if (line + left < length) return {item, line: line + left};
      if (item >= this.#items.length - 1) return {item: Math.max(0, item), line: Math.max(0, length - 1)};
      left -= length - line;
      item++;
      line = 0;
    }
  }

  /** Where the screen begins that shows the last lines. */
  lastTop(room: number, frame: Frame): Position {
    return this.moved(this.end, -room, frame);
  }

  lines(from: Position, count: number, frame: Frame): readonly string[] {
    const lines: string[] = [];
    let {item, line} = from;
    while (lines.length < count && item < this.#items.length) {
      lines.push(...this.#linesOf(item, frame).slice(line, line + count - lines.length));
      item++;
      line = 0;
    }
    return lines;
  }

  /** The next line with the words, which may go on in the line after it. */
  find({query, from, direction, frame, textOf}: Seek): Position | undefined {
    for (
      let item = Math.max(0, from.item);
      item >= 0 && item < this.#items.length + (direction < 0 ? 1 : 0);
      item += direction
    ) {
      const candidate = this.#items[item];
      if (candidate === undefined || placeOf(query, textOf(candidate)) < 0) continue;
      const places = matchesIn(this.#linesOf(item, frame).map(plainLine), query);
      const ordered = direction > 0 ? places : places.toReversed();
      const line = ordered.find(place => item !== from.item || (direction > 0 ? place > from.line : place < from.line));
      if (line !== undefined) return {item, line};
    }
    return undefined;
  }

  #linesOf(item: number, frame: Frame): readonly string[] {
    const of = this.#items[item];
    if (of === undefined) return [];
    if (this.#frame?.width !== frame.width || this.#frame.theme !== frame.theme) this.#kept.clear();
    this.#frame = frame;
    const known = this.#kept.get(item);
    if (known !== undefined) return known;
    const lines = this.#render(of, frame);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= mostKept && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(item, lines);
    return lines;
  }
}

function matchesIn(lines: readonly string[], query: string): readonly number[] {
  return lines.flatMap((line, at) => {
    if (placeOf(query, line) >= 0) return [at];
    const next = lines[at + 1];
    if (next === undefined || placeOf(query, next) >= 0) return [];
    return placeOf(query, `${line.trimEnd()} ${next.trimStart()}`) >= 0 ? [at] : [];
  });
}
