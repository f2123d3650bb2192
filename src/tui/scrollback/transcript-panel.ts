import QuickLRU from 'quick-lru';
import {visibleLine} from '../../base/visible.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import {deletedAtEnd} from '../editor/draft.ts';
import type {KeyPress} from '../terminal/keymap.ts';
import {cellWidth, fit, stripStyles} from '../text/cell-width.ts';
import type {Frame, Layout} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Theme} from '../theme/theme.ts';
import type {MarkdownLexer} from './render-markdown.ts';
import {itemLines, searchedText, type TranscriptItem, transcriptItems} from './transcript-items.ts';

/** A full-screen pager for the transcript. It is immutable: a key press returns the next one. */
export interface TranscriptPanel {
  press(key: KeyPress, place: TranscriptPlace): TranscriptPanel | 'closed';
  lines(place: TranscriptPlace): Layout;
}

interface TranscriptPlace {
  readonly rows: number;
  readonly frame: Frame;
}

/** Opens the transcript of a session at its end. `records` is called with every key press, because the session may have grown. */
export function transcriptPanel(records: () => readonly JournalRecord[], lexer: MarkdownLexer): TranscriptPanel {
  const pages = new TranscriptPages((item, frame) => itemLines(item, lexer, frame));
  const update = (): void => pages.show(records());
  return panelOf({...opened, update, pages, top: 'end'});
}

/** Opens texts or changed files, at their beginning. */
export function itemsPanel(items: readonly TranscriptItem[], lexer: MarkdownLexer): TranscriptPanel {
  const pages = new TranscriptPages((item, frame) => itemLines(item, lexer, frame));
  pages.showItems(items);
  return panelOf({...opened, update: () => {}, pages, top: {item: 0, line: 0}});
}

const opened = {query: '', sought: undefined, said: ''} as const;

interface Reading {
  /** Adds new records of the session. */
  readonly update: () => void;
  readonly pages: TranscriptPages;
  readonly top: Position | 'end';
  readonly query: string;
  /** The search text being typed after `/`; `undefined` if none is. */
  readonly sought: string | undefined;
  readonly said: string;
}

const panelOf = (reading: Reading): TranscriptPanel => ({
  press: (key, place) => press(reading, key, place),
  lines: place => panelLayout(reading, place),
});

const roomOf = (rows: number): number => Math.max(1, rows - 1);

function press(reading: Reading, key: KeyPress, place: TranscriptPlace): TranscriptPanel | 'closed' {
  reading.update();
  if (reading.sought !== undefined) return pressSearch(reading, reading.sought, {key, place});
  if (key.kind === 'paste') return panelOf(reading);
  const letters = key.kind === 'text' ? key.text : (pagerLetters[key.name] ?? '');
  let next = reading;
  for (const [at, letter] of letters.split('').entries()) {
    if (letter === 'q') return 'closed';
    if (letter === '/') return panelOf({...next, sought: letters.slice(at + 1), said: ''});
    next = moved(next, letter, place);
  }
  return panelOf(next);
}

/** The pager letters for other keys. */
export const pagerLetters: Readonly<Partial<Record<string, string>>> = {
  up: 'k',
  down: 'j',
  enter: 'j',
  'page-up': 'b',
  'page-down': ' ',
  'line-start': 'g',
  'line-end': 'G',
  top: 'g',
  bottom: 'G',
  escape: 'q',
  'end-of-input': 'q',
};

const linesOf: Readonly<Partial<Record<string, (room: number) => number>>> = {
  k: () => -1,
  j: () => 1,
  b: room => 1 - room,
  ' ': room => Math.max(1, room - 1),
  u: room => -Math.ceil(room / 2),
  d: room => Math.ceil(room / 2),
};

function moved(reading: Reading, letter: string, {frame, rows}: TranscriptPlace): Reading {
  const {pages} = reading;
  const room = roomOf(rows);
  const end = pages.lastTop(room, frame);
  const from = reading.top === 'end' ? end : reading.top;
  switch (letter) {
    case 'g':
      return {...reading, said: '', top: {item: 0, line: 0}};
    case 'G':
      return {...reading, said: '', top: 'end'};
    case 'n':
    case 'N':
      return found(reading, {from, direction: letter === 'n' ? 1 : -1, frame});
    default: {
      const lines = linesOf[letter];
      if (lines === undefined) return reading;
      const to = pages.moved(from, lines(room), frame);
      return {...reading, said: '', top: pages.isBefore(to, end) ? to : 'end'};
    }
  }
}

/** Scrolls to the next match. It becomes the first line on the screen, so that the next search starts after it. */
function found(
  reading: Reading,
  {from, direction, frame}: {readonly from: Position; readonly direction: 1 | -1; readonly frame: Frame},
): Reading {
  const {query, pages} = reading;
  if (query === '') return {...reading, said: 'No search yet: type / and words'};
  const seek = {query, from, direction, frame};
  const match = pages.find(seek);
  if (match !== undefined) return {...reading, top: match, said: ''};
  const around = direction === 1 ? pages.start : pages.end;
  const other = pages.find({...seek, from: around});
  if (other === undefined) return {...reading, said: 'Not found'};
  return {...reading, top: other, said: direction === 1 ? 'Search wrapped to the start' : 'Search wrapped to the end'};
}

/** Searches from the first line on the screen. An empty search repeats the previous one. */
function pressSearch(
  reading: Reading,
  sought: string,
  {key, place}: {readonly key: KeyPress; readonly place: TranscriptPlace},
): TranscriptPanel {
  const typed = (text: string | undefined): TranscriptPanel => panelOf({...reading, sought: text});
  if (key.kind !== 'key') return typed(sought + key.text.replaceAll(/\s+/gu, ' ').slice(0, longestQuery));
  if (key.name === 'escape' || (key.name === 'delete-left' && sought === '')) return typed(undefined);
  if (key.name !== 'enter') return typed(deletedAtEnd(sought, key.name) ?? sought);
  const query = sought === '' ? reading.query : sought;
  const {pages} = reading;
  const {frame, rows} = place;
  const top = reading.top === 'end' ? pages.lastTop(roomOf(rows), frame) : reading.top;
  const before = pages.moved(top, -1, frame);
  return panelOf(found({...reading, query, sought: undefined}, {from: before, direction: 1, frame}));
}

const longestQuery = 200;

function panelLayout({update, pages, top, query, sought, said}: Reading, {rows, frame}: TranscriptPlace): Layout {
  update();
  const room = roomOf(rows);
  const from = top === 'end' ? pages.lastTop(room, frame) : top;
  const shown = pages.lines(from, room, frame);
  const marked = query === '' ? shown : shown.map(line => highlightMatches(line, query, frame.theme));
  const filled = [...marked, ...Array.from({length: room - marked.length}, () => '')];
  if (sought !== undefined) {
    const field = fit(`/${visibleLine(sought)}`, frame.width);
    return {lines: [...filled, field], cursor: {x: Math.min(frame.width - 1, cellWidth(field)), y: room}};
  }
  const place = top === 'end' ? 'end' : `${pages.percent(from)}%`;
  const keys = [
    said === '' ? place : `${place}: ${said}`,
    'q close',
    '/ search',
    ...(query === '' ? [] : ['n N next']),
    'g G start, end',
    'PgUp PgDn',
  ];
  return {lines: [...filled, keysRow(keys, frame)], cursor: {x: 0, y: room}};
}

/** Returns a panel's key hints for its last line. If not all fit, keeps the first hint and the one for closing. */
export function keysRow(keys: readonly string[], frame: Frame): string {
  const shown = [...keys];
  while (cellWidth(shown.join(glyphs.separator)) > frame.width) {
    const least = shown.findLastIndex(key => !closeHints.test(key));
    if (least <= 0) break;
    shown.splice(least, 1);
  }
  return frame.theme.style(['dim'], fit(shown.join(glyphs.separator), frame.width));
}

const closeHints = /\bEsc\b|^[nq] /u;

export interface Position {
  readonly item: number;
  readonly line: number;
}

interface SearchOptions {
  readonly query: string;
  /** The search starts next to this line. */
  readonly from: Position;
  readonly direction: 1 | -1;
  readonly frame: Frame;
}

const maxKept = 100;

/** The lines of a transcript. Renders only items near the screen. A position is an item and a line in it. */
export class TranscriptPages {
  readonly #render: (item: TranscriptItem, frame: Frame) => readonly string[];
  #items: readonly TranscriptItem[] = [];
  #records: readonly JournalRecord[] | undefined;
  #count = 0;
  #frame: Frame | undefined;
  readonly #kept = new QuickLRU<number, readonly string[]>({maxSize: maxKept});

  constructor(render: (item: TranscriptItem, frame: Frame) => readonly string[]) {
    this.#render = render;
  }

  /** Updates the items from the records. A new result changes the item of its call. */
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

  /** Returns the position as a percentage of the session, or of its only item. */
  percent({item, line}: Position): number {
    const count = this.#items.length;
    if (count > 1) return Math.floor((100 * item) / (count - 1));
    return Math.floor((100 * line) / Math.max(1, this.#kept.get(0)?.length ?? 1));
  }

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

  /** Finds the next line with a match, which may continue on the line after it. Renders only items whose text matches. */
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

/** Returns the index of `query` in an unstyled line, starting at `from`, or -1. A lower-case query ignores case. */
const indexOfMatch = (query: string, line: string, from = 0): number =>
  query === query.toLowerCase() ? line.toLowerCase().indexOf(query, from) : line.indexOf(query, from);

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
