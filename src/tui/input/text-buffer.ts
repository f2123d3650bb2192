import {borderAfter, borderBefore, borderFrom} from '../text/grapheme-steps.ts';

/** A text and a place in it: UTF-16 units from its start, always between two graphemes. */
export interface TextBuffer {
  readonly text: string;
  readonly cursor: number;
}

export const emptyBuffer: TextBuffer = {text: '', cursor: 0};

export const bufferOf = (text: string): TextBuffer => ({text, cursor: text.length});

export const insert = ({text, cursor}: TextBuffer, added: string): TextBuffer =>
  settle(text.slice(0, cursor) + added + text.slice(cursor), cursor + added.length);

export const moveLeft = (buffer: TextBuffer): TextBuffer => at(buffer, stepLeft(buffer));
export const moveRight = (buffer: TextBuffer): TextBuffer => at(buffer, stepRight(buffer));
export const moveWordLeft = (buffer: TextBuffer): TextBuffer => at(buffer, wordLeft(buffer));
export const moveWordRight = (buffer: TextBuffer): TextBuffer => at(buffer, wordRight(buffer));
export const moveLineStart = (buffer: TextBuffer): TextBuffer => at(buffer, lineStart(buffer));
export const moveLineEnd = (buffer: TextBuffer): TextBuffer => at(buffer, lineEnd(buffer));

export const deleteLeft = (buffer: TextBuffer): TextBuffer => cut(buffer, stepLeft(buffer), buffer.cursor);
export const deleteRight = (buffer: TextBuffer): TextBuffer => cut(buffer, buffer.cursor, stepRight(buffer));
export const deleteWord = (buffer: TextBuffer): TextBuffer => cut(buffer, wordLeft(buffer), buffer.cursor);
export const deleteWordRight = (buffer: TextBuffer): TextBuffer => cut(buffer, buffer.cursor, wordRight(buffer));

/** To the start of the line; at the start already, the line feed before it. */
export function deleteToStart(buffer: TextBuffer): TextBuffer {
  const start = lineStart(buffer);
  return start === buffer.cursor ? deleteLeft(buffer) : cut(buffer, start, buffer.cursor);
}

/** To the end of the line; at the end already, the line feed after it. */
export function deleteToEnd(buffer: TextBuffer): TextBuffer {
  const end = lineEnd(buffer);
  return end === buffer.cursor ? deleteRight(buffer) : cut(buffer, buffer.cursor, end);
}

const at = ({text}: TextBuffer, cursor: number): TextBuffer => ({text, cursor});

const cut = ({text}: TextBuffer, from: number, to: number): TextBuffer =>
  settle(text.slice(0, from) + text.slice(to), from);

/** Inserting or cutting can join characters into one grapheme: the cursor then stands after it. */
const settle = (text: string, wanted: number): TextBuffer => ({text, cursor: borderFrom(text, wanted)});

const lineStart = ({text, cursor}: TextBuffer): number => (cursor <= 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1);

function lineEnd({text, cursor}: TextBuffer): number {
  const end = text.indexOf('\n', cursor);
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

/** A word border can lie inside a grapheme (a joiner counts as no letter): the border after it is meant then. */
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
