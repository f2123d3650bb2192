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

/**
 * Returns how many graphemes of a word that is too long go on a line of `room` cells. The last cell is for a mark. Cuts after a slash
 * in the second half of the line, and never inside `../`.
 */
export function wordCut(word: readonly {readonly text: string; readonly cells: number}[], room: number): number {
  let end = 0;
  let used = 0;
  for (const {cells} of word) {
    if (used + cells > room - 1) break;
    used += cells;
    end += 1;
  }
  const isWhole = (at: number): boolean => !(word[at - 1]?.text === '.' && /^[./]$/u.test(word[at]?.text ?? ''));
  for (let at = end; at > end / 2; at -= 1) if (word[at - 1]?.text === '/') return at;
  for (let at = end; at > 0; at -= 1) if (isWhole(at)) return at;
  return Math.max(1, end);
}

/** Wraps a line at the exact width, not between words. For code and output, where spaces matter. */
export const hardWrap = (text: string, width: number): readonly string[] =>
  hardWrapSpans([{text, roles: []}], {theme: unstyled, width});

const unstyled: Pick<Theme, 'style'> = {style: (_roles, text) => text};

/** Wraps styled text at the exact width, for code. */
export function hardWrapSpans(
  spans: readonly StyledSpan[],
  {theme, width}: {readonly theme: Pick<Theme, 'style'>; readonly width: number},
): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const {text, roles} of spans) {
    const cells = cellWidth(text);
    if (used + cells <= width) {
      line += theme.style(roles, text);
      used += cells;
      continue;
    }
    let part = '';
    for (const grapheme of graphemes(text)) {
      const more = graphemeWidth(grapheme);
      if (used + more > width && (part !== '' || line !== '')) {
        lines.push(line + theme.style(roles, part));
        line = '';
        part = '';
        used = 0;
      }
      part += grapheme;
      used += more;
    }
    line += theme.style(roles, part);
  }
  lines.push(line);
  return lines;
}

/**
 * Wraps a line of code on which a person decides: at a space if there is one near the end of the row, and otherwise as `wordCut` does. A
 * mark shows that the line goes on.
 */
export function markedWrapSpans(
  spans: readonly StyledSpan[],
  {theme, width}: {readonly theme: Pick<Theme, 'style'>; readonly width: number},
): readonly string[] {
  let left = cellWidth(spansText(spans));
  if (left <= width) return [paint(spans, theme)];
  const all = spans.flatMap(({text, roles}) =>
    graphemes(text).map(grapheme => ({text: grapheme, cells: graphemeWidth(grapheme), roles})),
  );
  const rows: string[] = [];
  let at = 0;
  while (left > width) {
    const rest = all.slice(at, at + width + 1);
    const cut = wordCut(rest, width);
    const space = rest.slice(0, cut).findLastIndex(({text}) => text === ' ') + 1;
    const part = rest.slice(0, space > cut / 2 ? space : cut);
    rows.push(paint(part, theme) + theme.style(['dim'], glyphs.brokenWord));
    left -= part.reduce((sum, {cells}) => sum + cells, 0);
    at += part.length;
  }
  return [...rows, paint(all.slice(at), theme)];
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
    const word = this.#word.flatMap(({text, roles}) =>
      graphemes(text).map(grapheme => ({text: grapheme, cells: graphemeWidth(grapheme), roles})),
    );
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
