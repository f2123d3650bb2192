import {graphemes} from '../text/cell-width.ts';

/** A text and a cursor. The cursor is an index in UTF-16 units, always between two graphemes. */
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

/** Places the cursor after the grapheme, because inserting or deleting can join characters into one. */
const settle = (text: string, wanted: number): TextBuffer => ({text, cursor: boundaryFrom(text, wanted)});

/** Returns the start of the line that contains `at`, in UTF-16 units. */
export const lineStart = (text: string, at: number): number => (at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

/** Returns the end of the line that contains `at`: its line feed, or the end of the text. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function stepLeft({text, cursor}: TextBuffer): number {
  const border = boundaryBefore(text, cursor);
  return border === cursor ? Math.max(0, cursor - 1) : border;
}

function stepRight({text, cursor}: TextBuffer): number {
  const border = boundaryAfter(text, cursor);
  return border === cursor ? Math.min(text.length, cursor + 1) : border;
}

/** A word can end inside a grapheme, because a joiner is not a letter. Then the next grapheme boundary is used. */
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

// The functions below segment only the text around an index, and don't cross line feeds.

/** Returns the start of the grapheme that ends at `at`, or `at` at the start of a line. */
export function boundaryBefore(text: string, at: number): number {
  if (at <= 0 || text[at - 1] === '\n') return at;
  const from = certainBorder(text, at - 1, -1);
  return at - (graphemes(text.slice(from, at)).at(-1)?.length ?? 0);
}

/** Returns the end of the grapheme that begins at `at`, or `at` at the end of a line. */
export function boundaryAfter(text: string, at: number): number {
  if (at >= text.length || text[at] === '\n') return at;
  const to = certainBorder(text, at + 1, 1);
  return at + (graphemes(text.slice(at, to))[0]?.length ?? 0);
}

/** Returns the first grapheme boundary at or after an index, which may be inside a grapheme. */
export function boundaryFrom(text: string, at: number): number {
  let border = certainBorder(text, at, -1);
  if (border === at) return at;
  for (const grapheme of graphemes(text.slice(border, certainBorder(text, at, 1)))) {
    if (border >= at) break;
    border += grapheme.length;
  }
  return border;
}

/** Returns the nearest index from `at` in a direction that is a grapheme boundary regardless of context. */
function certainBorder(text: string, at: number, step: 1 | -1): number {
  let place = at;
  while (place > 0 && place < text.length && !(isStandalone(text, place - 1) && isStandalone(text, place)))
    place += step;
  return place;
}

/** True if the character never joins with another such one into a grapheme: ASCII, kana, Han, Hangul syllables. */
function isStandalone(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return (
    unit < 0x7f ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3)
  );
}
