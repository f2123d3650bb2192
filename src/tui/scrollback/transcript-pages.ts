import QuickLRU from 'quick-lru';
import type {JournalRecord} from '../../domain/journal.ts';
import type {Frame} from '../text/wrap.ts';
import type {Theme} from '../theme/theme.ts';
import {searchedText, type TranscriptItem, transcriptItems} from './transcript-items.ts';

/** The position of a line: an item, and a line of that item. */
export interface Position {
  readonly item: number;
  readonly line: number;
}

interface SearchOptions {
  readonly query: string;
  /** The search begins next to this line. */
  readonly from: Position;
  readonly direction: 1 | -1;
  readonly frame: Frame;
}

/** The number of items whose rendered lines are cached. */
const mostKept = 100;

/**
 * The lines of a transcript, rendered only near the screen: a position is an item and a line in it, so that the total number of lines
 * is never needed.
 */
export class TranscriptPages {
  readonly #render: (item: TranscriptItem, frame: Frame) => readonly string[];
  #items: readonly TranscriptItem[] = [];
  #records: readonly JournalRecord[] | undefined;
  #count = 0;
  #frame: Frame | undefined;
  readonly #kept = new QuickLRU<number, readonly string[]>({maxSize: mostKept});

  constructor(render: (item: TranscriptItem, frame: Frame) => readonly string[]) {
    this.#render = render;
  }

  /** Updates the items from the records; a new result changes the item of its call. */
  show(now: readonly JournalRecord[]): void {
    if (now === this.#records && now.length === this.#count) return;
    this.#records = now;
    this.#count = now.length;
    this.showItems(transcriptItems(now));
  }

  showItems(items: readonly TranscriptItem[]): void {
    this.#items = items;
    this.#kept.clear();
  }

  /** The positions before the first line and after the last one. */
  readonly start: Position = {item: -1, line: 0};
  get end(): Position {
    return {item: this.#items.length, line: 0};
  }

  isBefore(a: Position, b: Position): boolean {
    return a.item < b.item || (a.item === b.item && a.line < b.line);
  }

  /** The position as a percentage of the session, or of its only item. */
  percent({item, line}: Position): number {
    const count = this.#items.length;
    if (count > 1) return Math.floor((100 * item) / (count - 1));
    return Math.floor((100 * line) / Math.max(1, this.#kept.get(0)?.length ?? 1));
  }

  /** The position `count` lines further on (back if negative), at most the first or the last line. */
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

  /** The first position of a screen that shows the last lines. */
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

  /** The next line with a match, where only items whose searched text matches are rendered; the match may continue in the line after it. */
  find({query, from, direction, frame}: SearchOptions): Position | undefined {
    for (
      let item = Math.max(0, from.item);
      item >= 0 && item < this.#items.length + (direction < 0 ? 1 : 0);
      item += direction
    ) {
      const candidate = this.#items[item];
      if (candidate === undefined || indexOfMatch(query, searchedText(candidate)) < 0) continue;
      const places = matchesIn(this.#linesOf(item, frame).map(stripStyles), query);
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
    this.#kept.set(item, lines);
    return lines;
  }
}

function matchesIn(lines: readonly string[], query: string): readonly number[] {
  return lines.flatMap((line, at) => {
    if (indexOfMatch(query, line) >= 0) return [at];
    const next = lines[at + 1];
    if (next === undefined || indexOfMatch(query, next) >= 0) return [];
    return indexOfMatch(query, `${line.trimEnd()} ${next.trimStart()}`) >= 0 ? [at] : [];
  });
}

// oxlint-disable-next-line no-control-regex -- styling begins with ESC
const styling = /\u001B\[[\d;]*m|\u001B\]8;[^\u001B\u0007]*(?:\u001B\\|\u0007)/gu;

/** A line without its styling. */
export const stripStyles = (line: string): string => (line.includes('\u001B') ? line.replaceAll(styling, '') : line);

/** The index of `query` in a line without styling, from `from` on; -1 if it is not there. A query in lower case ignores case. */
const indexOfMatch = (query: string, line: string, from = 0): number =>
  query === query.toLowerCase() ? line.toLowerCase().indexOf(query, from) : line.indexOf(query, from);

/** Highlights the matches in a line; a line with a match loses its other styling. */
export function highlightMatches(line: string, query: string, theme: Theme): string {
  const plain = stripStyles(line);
  let at = indexOfMatch(query, plain);
  if (at < 0) return line;
  let marked = '';
  let from = 0;
  while (at >= 0) {
    marked += plain.slice(from, at) + theme.style(['bold', 'selected'], plain.slice(at, at + query.length));
    from = at + query.length;
    at = indexOfMatch(query, plain, from);
  }
  return marked + plain.slice(from);
}
