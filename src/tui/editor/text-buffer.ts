import {graphemes} from '../text/cell-width.ts';

/** A text and a cursor, in UTF-16 units from its start, always between two graphemes. */
export interface TextBuffer {
  readonly text: string;
  readonly cursor: number;
}

export const emptyBuffer: TextBuffer = {text: '', cursor: 0};

export const bufferOf = (text: string): TextBuffer => ({text, cursor: text.length});

export const insert = ({text, cursor}: TextBuffer, added: string): TextBuffer =>
  settle(text.slice(0, cursor) + added + text.slice(cursor), cursor + added.length);

export const moveLeft = (buffer: TextBuffer): TextBuffer => withCursor(buffer, stepLeft(buffer));
export const moveRight = (buffer: TextBuffer): TextBuffer => withCursor(buffer, stepRight(buffer));
export const moveWordLeft = (buffer: TextBuffer): TextBuffer => withCursor(buffer, wordLeft(buffer));
export const moveWordRight = (buffer: TextBuffer): TextBuffer => withCursor(buffer, wordRight(buffer));
export const moveLineStart = (buffer: TextBuffer): TextBuffer =>
  withCursor(buffer, lineStart(buffer.text, buffer.cursor));
export const moveLineEnd = (buffer: TextBuffer): TextBuffer => withCursor(buffer, lineEnd(buffer.text, buffer.cursor));

export const deleteLeft = (buffer: TextBuffer): TextBuffer => cut(buffer, stepLeft(buffer), buffer.cursor);
export const deleteRight = (buffer: TextBuffer): TextBuffer => cut(buffer, buffer.cursor, stepRight(buffer));
export const deleteWord = (buffer: TextBuffer): TextBuffer => cut(buffer, wordLeft(buffer), buffer.cursor);
export const deleteWordRight = (buffer: TextBuffer): TextBuffer => cut(buffer, buffer.cursor, wordRight(buffer));

/** Deletes to the start of the line, or the line feed before it if the cursor is there. */
export function deleteToStart(buffer: TextBuffer): TextBuffer {
  const start = lineStart(buffer.text, buffer.cursor);
  return start === buffer.cursor ? deleteLeft(buffer) : cut(buffer, start, buffer.cursor);
}

/** Deletes to the end of the line, or the line feed after it if the cursor is there. */
export function deleteToEnd(buffer: TextBuffer): TextBuffer {
  const end = lineEnd(buffer.text, buffer.cursor);
  return end === buffer.cursor ? deleteRight(buffer) : cut(buffer, buffer.cursor, end);
}

const withCursor = ({text}: TextBuffer, cursor: number): TextBuffer => ({text, cursor});

const cut = ({text}: TextBuffer, from: number, to: number): TextBuffer =>
  settle(text.slice(0, from) + text.slice(to), from);

/** Inserting or deleting can join characters into one grapheme; the cursor is then placed after it. */
const settle = (text: string, wanted: number): TextBuffer => ({text, cursor: borderFrom(text, wanted)});

/** The index at which the line that contains `at` begins, in UTF-16 units. */
export const lineStart = (text: string, at: number): number => (at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

/** The index at which that line ends: at its line feed, or at the end of the text. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function stepLeft({text, cursor}: TextBuffer): number {
  const border = borderBefore(text, cursor);
  return border === cursor ? Math.max(0, cursor - 1) : border;
}

function stepRight({text, cursor}: TextBuffer): number {
  const border = borderAfter(text, cursor);
  return border === cursor ? Math.min(text.length, cursor + 1) : border;
}

/** A word border can lie inside a grapheme, because a joiner is no letter; then the next grapheme border is used. */
function wordLeft(buffer: TextBuffer): number {
  const {text, cursor} = buffer;
  const word = /[\p{Letter}\p{Number}\p{Mark}_]*[^\p{Letter}\p{Number}\p{Mark}_]*$/u.exec(text.slice(0, cursor));
  const border = settle(text, cursor - (word?.[0].length ?? 0)).cursor;
  return border < cursor ? border : stepLeft(buffer);
}

function wordRight({text, cursor}: TextBuffer): number {
  const word = /^[^\p{Letter}\p{Number}\p{Mark}_]*[\p{Letter}\p{Number}\p{Mark}_]*/u.exec(text.slice(cursor));
  return settle(text, cursor + (word?.[0].length ?? 0)).cursor;
}

/** Steps to the next border between graphemes divide only what lies around the place, and pass no line feed. */

/** The start of the grapheme that ends at `at`; `at` itself at the start of a line. */
export function borderBefore(text: string, at: number): number {
  if (at <= 0 || text[at - 1] === '\n') return at;
  const from = sureBorder(text, at - 1, -1);
  return at - (graphemes(text.slice(from, at)).at(-1)?.length ?? 0);
}

/** The end of the grapheme that begins at `at`; `at` itself at the end of a line. */
export function borderAfter(text: string, at: number): number {
  if (at >= text.length || text[at] === '\n') return at;
  const to = sureBorder(text, at + 1, 1);
  return at + (graphemes(text.slice(at, to))[0]?.length ?? 0);
}

/** The first grapheme border at or after an index, which may lie inside a grapheme. */
export function borderFrom(text: string, at: number): number {
  let border = sureBorder(text, at, -1);
  if (border === at) return at;
  for (const grapheme of graphemes(text.slice(border, sureBorder(text, at, 1)))) {
    if (border >= at) break;
    border += grapheme.length;
  }
  return border;
}

/** The nearest index from `at` on, in a direction, that is a grapheme border whatever surrounds it. */
function sureBorder(text: string, at: number, step: 1 | -1): number {
  let place = at;
  while (place > 0 && place < text.length && !(isLoose(text, place - 1) && isLoose(text, place))) place += step;
  return place;
}

/** Two such characters never join into one grapheme: ASCII, kana, Han, Hangul syllables. */
function isLoose(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return (
    unit < 0x7f ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3)
  );
}
