import type {Verbosity} from '../../domain/preferences.ts';
import type {Style, Theme} from '../theme/theme.ts';
import {glyphs} from '../theme/glyphs.ts';
import {cellWidth, graphemes, graphemeWidth} from './cell-width.ts';

/** A run of text in one style. `text` has no control characters except line feeds, which break the line. */
export interface StyledSpan {
  readonly text: string;
  readonly roles: readonly Style[];
}

export const spansText = (spans: readonly StyledSpan[]): string => spans.map(({text}) => text).join('');

export interface Frame {
  readonly theme: Theme;
  /** The width of a line in cells, including its indent. */
  readonly width: number;
}

/** The prefixes of the first line and of all others. They have no styling, and their cells count. */
export interface Indent {
  readonly first: string;
  readonly rest: string;
  readonly roles: readonly Style[];
}

export const noIndent: Indent = {first: '', rest: '', roles: []};

/**
 * Wraps styled text between words, and inside a word only if it is longer than a line. Styles never span lines. `longWords: 'marked'` is for
 * text on which a person decides: a mark shows that a word goes on.
 */
export function wrapSpans(
  spans: readonly StyledSpan[],
  frame: Frame,
  indent: Indent,
  longWords: 'plain' | 'marked' = 'plain',
): readonly string[] {
  const lines = new LineFiller(frame, indent, longWords);
  for (const span of spans) {
    for (const [part] of span.text.matchAll(/\n| +|[^ \n]+/gu)) {
      if (part === '\n') lines.breakLine();
      else if (part.startsWith(' ')) lines.space(part.length, span.roles);
      else lines.word(part, span.roles);
    }
  }
  return lines.finish();
}

export const wrapText = (text: string, roles: readonly Style[], frame: Frame): readonly string[] =>
  wrapSpans([{text, roles}], frame, noIndent);

interface Cell extends StyledSpan {
  readonly cells: number;
}

const cellsOf = (spans: readonly StyledSpan[]): readonly Cell[] =>
  spans.flatMap(({text, roles}) =>
    graphemes(text).map(grapheme => ({text: grapheme, cells: graphemeWidth(grapheme), roles})),
  );

/** Returns how many of the first graphemes fit on `room` cells. */
function fitting(row: readonly Pick<Cell, 'cells'>[], room: number): number {
  let left = room;
  const end = row.findIndex(({cells}) => (left -= cells) < 0);
  return end < 0 ? row.length : end;
}

/**
 * Returns how many graphemes of a word that is too long go on a line of `room` cells. The last cell is for a mark. Cuts after a slash
 * in the second half of the line, and never inside `../`.
 */
export function wordCut(word: readonly {readonly text: string; readonly cells: number}[], room: number): number {
  const end = fitting(word, room - 1);
  const isWhole = (at: number): boolean => !(word[at - 1]?.text === '.' && /^[./]$/u.test(word[at]?.text ?? ''));
  for (let at = end; at > end / 2; at -= 1) if (word[at - 1]?.text === '/') return at;
  for (let at = end; at > 0; at -= 1) if (isWhole(at)) return at;
  return Math.max(1, end);
}

/** Wraps a line at the exact width, not between words. For output, where spaces matter. */
export function hardWrap(text: string, width: number): readonly string[] {
  if (cellWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const grapheme of graphemes(text)) {
    const more = graphemeWidth(grapheme);
    if (used + more > width && line !== '') {
      lines.push(line);
      line = '';
      used = 0;
    }
    line += grapheme;
    used += more;
  }
  return [...lines, line];
}

/** The additions to a line of code: `mark` ends each row but the last. `roles` style the mark and the added blanks. */
interface CodeWrap {
  readonly mark: string;
  readonly roles: readonly Style[];
}

/** The minimum number of cells beside the indent of the rows on which a line of code goes on. */
const minCodeRoom = 16;

/**
 * Wraps a line of code after a blank, else after punctuation, and inside a word only if it is longer than a row. The line goes on at
 * its own indent plus two.
 */
export function wrapCode(
  spans: readonly StyledSpan[],
  {theme, width}: {readonly theme: Pick<Theme, 'style'>; readonly width: number},
  {mark, roles}: CodeWrap = {mark: '', roles: []},
): readonly string[] {
  let left = cellWidth(spansText(spans));
  if (left <= width) return [paint(spans, theme)];
  const all = cellsOf(spans);
  const indent = all.findIndex(({text}) => text !== ' ');
  const hang = Math.max(0, Math.min(indent + 2, width - minCodeRoom));
  const added = theme.style(roles, ' '.repeat(hang));
  const rows: string[] = [];
  let at = 0;
  let room = width;
  // A row of only the indent helps if more of the line fits on the next one.
  let least = indent > hang ? indent - 1 : indent;
  while (left > room) {
    const rest = all.slice(at, at + 2 * width);
    const part = rest.slice(0, codeCut(rest, {least, room: room - cellWidth(mark), nextRoom: width - hang}));
    const end = part.findLastIndex(({text}) => text !== ' ') + 1;
    const more = theme.style(roles, ' '.repeat(part.length - end) + mark);
    rows.push((at === 0 ? '' : added) + paint(part.slice(0, end), theme) + more);
    left -= part.reduce((sum, {cells}) => sum + cells, 0);
    at += part.length;
    room = width - hang;
    least = 0;
  }
  return [...rows, (at === 0 ? '' : added) + paint(all.slice(at), theme)];
}

/** Returns how many of the cells of a line of code go on a row. Prefers breaks in the second half of the row. */
function codeCut(
  row: readonly Cell[],
  {least, room, nextRoom}: {readonly least: number; readonly room: number; readonly nextRoom: number},
): number {
  const end = fitting(row, room);
  const last = (isBreak: typeof isAfterBlank): number => {
    for (let at = end; at > least; at -= 1) if (isBreak(row, at)) return at;
    return 0;
  };
  const enough = least + (end - least) / 3;
  const blank = last(isAfterBlank);
  if (blank > enough) return blank;
  const early = Math.max(blank, last(isAfterPunctuation));
  if (early > enough) return early;
  const next = row.findIndex((_, at) => at > end && (row[at]?.text === ' ' || isAfterPunctuation(row, at)));
  const word = row.slice(early, next < 0 ? undefined : next);
  return early > 0 && fitting(word, nextRoom) === word.length ? early : wordCut(row, room + 1);
}

const isAfterBlank = (row: readonly Cell[], at: number): boolean => row[at - 1]?.text === ' ';

/** True between punctuation and a word. False inside `../`, `.git` and `1.5`. */
function isAfterPunctuation(row: readonly Cell[], at: number): boolean {
  const [before = '', sign = '', next = ''] = [at - 2, at - 1, at].map(index => row[index]?.text);
  if (!/^[.,;:?([{>=+*/%|&^]$/u.test(sign) || /^[ ,;:?)\]}<>=+*/%|&^-]$/u.test(next)) return false;
  if (sign === '.') return /[\p{L}_$)\]}"'`?]/u.test(before) && next !== '.';
  return next !== '.' || sign === '/';
}

/** Styles neighbors of the same roles together. */
function paint(parts: readonly StyledSpan[], theme: Pick<Theme, 'style'>): string {
  const runs: Piece[] = [];
  for (const {text, roles} of parts) {
    const last = runs.at(-1);
    if (last !== undefined && last.roles === roles) last.text += text;
    else runs.push({text, roles});
  }
  return runs.map(({text, roles}) => theme.style(roles, text)).join('');
}

interface Piece {
  text: string;
  readonly roles: readonly Style[];
}

/** Fills lines with words. A word with several styles moves to the next line as a whole. */
class LineFiller {
  readonly #frame: Frame;
  readonly #indent: Indent;
  readonly #longWords: 'plain' | 'marked';
  readonly #lines: string[] = [];
  #line: Piece[] = [];
  #lineWidth = 0;
  #gap: Piece = {text: '', roles: []};
  #word: Piece[] = [];
  #wordWidth = 0;

  constructor(frame: Frame, indent: Indent, longWords: 'plain' | 'marked') {
    this.#frame = frame;
    this.#indent = indent;
    this.#longWords = longWords;
  }

  word(text: string, roles: readonly Style[]): void {
    this.#word.push({text, roles});
    this.#wordWidth += cellWidth(text);
  }

  space(count: number, roles: readonly Style[]): void {
    this.#placeWord();
    this.#gap = {text: ' '.repeat(count), roles};
  }

  breakLine(): void {
    this.#placeWord();
    this.#closeLine();
  }

  finish(): readonly string[] {
    this.#placeWord();
    if (this.#line.length > 0 || this.#lines.length === 0) this.#closeLine();
    return this.#lines;
  }

  get #room(): number {
    const prefix = this.#lines.length === 0 ? this.#indent.first : this.#indent.rest;
    return Math.max(1, this.#frame.width - cellWidth(prefix));
  }

  #placeWord(): void {
    if (this.#word.length === 0) return;
    const gap = this.#gap;
    const wanted = this.#lineWidth + gap.text.length + this.#wordWidth;
    if (wanted > this.#room && this.#line.length > 0) {
      this.#closeLine();
    } else if (gap.text !== '' && this.#line.length > 0) {
      this.#append(gap.text, gap.roles);
      this.#lineWidth += gap.text.length;
    }
    this.#gap = {text: '', roles: []};
    if (this.#wordWidth > this.#room) this.#placeLongWord();
    else {
      for (const {text, roles} of this.#word) this.#append(text, roles);
      this.#lineWidth += this.#wordWidth;
    }
    this.#word = [];
    this.#wordWidth = 0;
  }

  #placeLongWord(): void {
    if (this.#longWords === 'marked') {
      this.#placeMarked();
      return;
    }
    for (const {text, roles} of this.#word) {
      for (const grapheme of graphemes(text)) {
        const cells = graphemeWidth(grapheme);
        if (this.#lineWidth + cells > this.#room && this.#line.length > 0) this.#closeLine();
        this.#append(grapheme, roles);
        this.#lineWidth += cells;
      }
    }
  }

  #placeMarked(): void {
    const word = cellsOf(this.#word);
    let left = this.#wordWidth;
    let at = 0;
    while (at < word.length) {
      const room = this.#room;
      const isLast = left <= room;
      const rest = word.slice(at, isLast ? undefined : at + room + 1);
      const part = isLast ? rest : rest.slice(0, wordCut(rest, room));
      for (const {text, roles} of part) this.#append(text, roles);
      at += part.length;
      if (isLast) {
        this.#lineWidth = left;
      } else {
        left -= part.reduce((sum, {cells}) => sum + cells, 0);
        this.#append(glyphs.brokenWord, ['dim']);
        this.#closeLine();
      }
    }
  }

  #append(text: string, roles: readonly Style[]): void {
    const last = this.#line.at(-1);
    if (last !== undefined && last.roles === roles) last.text += text;
    else this.#line.push({text, roles});
  }

  #closeLine(): void {
    const {theme} = this.#frame;
    const prefix = this.#lines.length === 0 ? this.#indent.first : this.#indent.rest;
    let line = theme.style(this.#indent.roles, prefix);
    for (const {text, roles} of this.#line) line += theme.style(roles, text);
    this.#lines.push(line);
    this.#line = [];
    this.#lineWidth = 0;
    this.#gap = {text: '', roles: []};
  }
}

/** The frame for scrollback entries, which can be folded. */
export interface EntryFrame extends Frame {
  /** `screen-reader`: like `summary`, without the lines of changes. */
  readonly verbosity: Verbosity | 'screen-reader';
  /** The user's home directory, shown as `~` in paths. Empty if unknown. */
  readonly home: string;
}

/** Lines, and the terminal cursor's cell, counted from the first line. */
export interface Layout {
  readonly lines: readonly string[];
  readonly cursor: {readonly x: number; readonly y: number};
}
