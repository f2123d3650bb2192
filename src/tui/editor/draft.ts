import {visible} from '../../base/visible.ts';
import type {KeyName} from '../terminal/keymap.ts';
import {cellWidth, fit, graphemes, graphemeWidth} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import * as buffer from './text-buffer.ts';
import {lineEnd, lineStart} from './text-buffer.ts';

/**
 * The text that the user is writing. A long paste is one character of the buffer, so that the cursor steps over it and one
 * key press deletes it. It is shown as a chip, and expanded when the draft is sent.
 */
export interface Draft {
  readonly buffer: buffer.TextBuffer;
  readonly pastes: readonly string[];
}

export const emptyDraft: Draft = {buffer: buffer.emptyBuffer, pastes: []};

export const draftFromText = (text: string): Draft => ({buffer: buffer.bufferOf(text), pastes: []});

export const isEmptyDraft = (draft: Draft): boolean => draft.buffer.text === '';

/** The maximum number of lines and UTF-16 units of a paste that is not folded to a chip. */
const maxPasteLines = 6;
const maxPasteLength = 1000;

/** Private-use characters. Each represents one paste. */
const firstChip = 0x10_f000;
const chips = /[\u{10F000}-\u{10FFFD}]/gu;

export function typeText(draft: Draft, text: string): Draft {
  return {...draft, buffer: buffer.insert(draft.buffer, clean(text))};
}

/** Inserts pasted text. `more` continues the previous paste, and joins its chip if that is right before the cursor. */
export function pasteText(draft: Draft, text: string, part: 'first' | 'more' = 'first'): Draft {
  const cleaned = clean(text.replaceAll(/\r\n?/gu, '\n'));
  const {buffer: now, pastes} = draft;
  const before = part === 'more' ? chipBefore(now) : undefined;
  if (before !== undefined) {
    return {buffer: now, pastes: pastes.with(before, (pastes[before] ?? '') + cleaned)};
  }
  if (cleaned.length <= maxPasteLength && cleaned.split('\n').length <= maxPasteLines) return typeText(draft, cleaned);
  const chip = String.fromCodePoint(firstChip + pastes.length);
  return {buffer: buffer.insert(now, chip), pastes: [...pastes, cleaned]};
}

function chipBefore({text, cursor}: buffer.TextBuffer): number | undefined {
  const character = text.slice(Math.max(0, cursor - 2), cursor);
  return isChip(character) ? indexOf(character) : undefined;
}

/** The maximum number of UTF-16 units of a line in an expanded paste, because each key press lays out the line again. */
const maxExpandedLine = 20_000;

/** Expands the paste at the cursor, or else the last one. `too-long`: a line is too long to edit here. */
export function expandPaste(draft: Draft): Draft | 'none' | 'too-long' {
  const {text, cursor} = draft.buffer;
  const before = text.slice(Math.max(0, cursor - 2), cursor);
  const places = Array.from(text.matchAll(chips), ({index}) => index);
  const place = isChip(before) ? cursor - 2 : places.includes(cursor) ? cursor : places.at(-1);
  if (place === undefined) return 'none';
  const chip = text.slice(place, place + 2);
  const paste = draft.pastes[indexOf(chip)] ?? '';
  if (longestLine(paste) > maxExpandedLine) return 'too-long';
  const cut = {text: text.slice(0, place) + text.slice(place + 2), cursor: place};
  return {...draft, buffer: buffer.insert(cut, paste)};
}

export const hasPaste = (draft: Draft): boolean => draft.pastes.length > 0 && draft.buffer.text.search(chips) >= 0;

function longestLine(text: string): number {
  let longest = 0;
  for (let from = 0; from <= text.length;) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    longest = Math.max(longest, to - from);
    from = to + 1;
  }
  return longest;
}

export const draftText = ({buffer: {text}, pastes}: Draft): string =>
  text.replaceAll(chips, chip => pastes[indexOf(chip)] ?? '');

/** Returns the draft after an editing key, or `undefined` if the key does not edit. */
export function applyEditKey(draft: Draft, name: KeyName): Draft | undefined {
  const edit = edits[name];
  return edit === undefined ? undefined : {...draft, buffer: edit(draft.buffer)};
}

/** Applies a deleting key to a line with the cursor at its end. Returns `undefined` for other keys. */
export function deletedAtEnd(text: string, name: KeyName): string | undefined {
  const from = {text, cursor: text.length};
  switch (name) {
    case 'delete-left':
      return buffer.deleteLeft(from).text;
    case 'delete-word':
      return buffer.deleteWord(from).text;
    case 'delete-to-start':
      return '';
    default:
      return undefined;
  }
}

/** Returns the display text of a character of the draft, in at most `width` cells. */
export function displayText({pastes}: Draft, character: string, width: number): string {
  const text = isChip(character) ? chipText(pastes[indexOf(character)] ?? '') : visible(character);
  return text === character && graphemeWidth(character) <= width ? text : fit(text, width);
}

const chipText = (text: string): string => {
  const lines = lineCount(text);
  return lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${text.length} characters]`;
};

/** Counts lines. A line feed at the end does not begin another line. */
function lineCount(text: string): number {
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

const isChip = (character: string): boolean => (character.codePointAt(0) ?? 0) >= firstChip;
const indexOf = (chip: string): number => (chip.codePointAt(0) ?? 0) - firstChip;

/** Removes control characters, which would be sent unseen. Keeps tabs and line feeds. */
const clean = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- drops control characters
  text.replaceAll(chips, '').replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu, '');

const edits: Readonly<Partial<Record<KeyName, (from: buffer.TextBuffer) => buffer.TextBuffer>>> = {
  left: buffer.moveLeft,
  right: buffer.moveRight,
  'word-left': buffer.moveWordLeft,
  'word-right': buffer.moveWordRight,
  'line-start': buffer.moveLineStart,
  'line-end': buffer.moveLineEnd,
  'delete-left': buffer.deleteLeft,
  'delete-right': buffer.deleteRight,
  'delete-word': buffer.deleteWord,
  'delete-word-right': buffer.deleteWordRight,
  'delete-to-start': buffer.deleteToStart,
  'delete-to-end': buffer.deleteToEnd,
  newline: from => buffer.insert(from, '\n'),
};

/** Returns the width of the draft in cells, without the prompt sign, its space, and one cell for the cursor. */
export const draftWidth = (frame: Frame): number => Math.max(1, frame.width - 3);

/** One row of a draft on the screen: the part of the buffer (in UTF-16 units) and its display text. */
export interface DraftRow {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The cursor's position in rows. */
interface RowPlace {
  readonly row: number;
  /** Cells from the left. May be one past the last character. */
  readonly x: number;
}

const asciiLine = /^[\u0020-\u007E]*$/u;

/**
 * Returns the rows of the line that begins at `from`, broken after blanks, and inside a word only if it is longer than a row. A blank
 * behind a full row stays there, in the cell for the cursor. A blank that ends the line there opens an empty row.
 */
export function rowsOfLine(draft: Draft, from: number, width: number): readonly DraftRow[] {
  const line = draft.buffer.text.slice(from, lineEnd(draft.buffer.text, from));
  const rows: DraftRow[] = [];
  if (asciiLine.test(line)) {
    let at = 0;
    const push = (to: number): void => {
      rows.push({from: from + at, to: from + to, text: line.slice(at, to)});
      at = to;
    };
    while (line.length - at > width) {
      const blank = line.slice(at, at + width + 1).lastIndexOf(' ');
      push(at + (blank < 0 ? width : blank + 1));
    }
    push(line.length);
    return rows;
  }
  let row = {from, text: '', cells: 0};
  let end = {at: from, text: '', cells: 0};
  let at = from;
  let before = '';
  for (const grapheme of graphemes(line)) {
    const text = displayText(draft, grapheme, width);
    const cells = cellsOf(text, grapheme);
    if (isBlank(grapheme) || isBlank(before)) end = {at, text: row.text, cells: row.cells};
    while (row.cells > 0 && row.cells + cells > (grapheme === ' ' ? width + 1 : width)) {
      if (end.at <= row.from) end = {at, text: row.text, cells: row.cells};
      rows.push({from: row.from, to: end.at, text: end.text});
      row = {from: end.at, text: row.text.slice(end.text.length), cells: row.cells - end.cells};
    }
    row = {from: row.from, text: row.text + text, cells: row.cells + cells};
    at += grapheme.length;
    before = grapheme;
  }
  rows.push({from: row.from, to: at, text: row.text});
  if (row.cells > width) rows.push({from: at, to: at, text: ''});
  return rows;
}

const isBlank = (grapheme: string): boolean => grapheme === ' ' || grapheme === '\t';

/** Returns the row and column of an index in the rows of a line. An index between two rows is on the second. */
export function placeInRows(draft: Draft, rows: readonly DraftRow[], cursor: number, width: number): RowPlace {
  const row = Math.max(
    0,
    rows.findLastIndex(({from}) => from <= cursor),
  );
  const from = rows[row]?.from ?? cursor;
  return {row, x: widthOf(draft, draft.buffer.text.slice(from, cursor), width)};
}

/** Moves the cursor a row up or down on the screen and keeps its column, in cells. Returns `undefined` beyond the first and last row. */
export function moveByRow(
  draft: Draft,
  {direction, width, goal}: {readonly direction: 'up' | 'down'; readonly width: number; readonly goal: number | 'none'},
): {readonly draft: Draft; readonly goal: number} | undefined {
  const {text, cursor} = draft.buffer;
  const start = lineStart(draft.buffer.text, cursor);
  const rows = rowsOfLine(draft, start, width);
  const place = placeInRows(draft, rows, cursor, width);
  const column = goal === 'none' ? place.x : goal;
  const target = rows[place.row + (direction === 'up' ? -1 : 1)] ?? neighbour(draft, {direction, start, width});
  if (target === undefined) return undefined;
  const isLineEnd = target.to >= text.length || text[target.to] === '\n';
  const to = atColumn(draft, target, {column, width, last: isLineEnd ? 'behind' : 'on'});
  return {draft: {...draft, buffer: {text, cursor: to}}, goal: column};
}

function neighbour(
  draft: Draft,
  {direction, start, width}: {readonly direction: 'up' | 'down'; readonly start: number; readonly width: number},
): DraftRow | undefined {
  if (direction === 'up')
    return start === 0 ? undefined : rowsOfLine(draft, lineStart(draft.buffer.text, start - 1), width).at(-1);
  const end = lineEnd(draft.buffer.text, start);
  return end >= draft.buffer.text.length ? undefined : rowsOfLine(draft, end + 1, width)[0];
}

/** Returns the index at a column of a row. If a row continues on the next, the cursor can't be after its last character. */
function atColumn(
  draft: Draft,
  row: DraftRow,
  {column, width, last}: {readonly column: number; readonly width: number; readonly last: 'on' | 'behind'},
): number {
  let at = row.from;
  let cells = 0;
  for (const grapheme of graphemes(draft.buffer.text.slice(row.from, row.to))) {
    const next = cells + cellsOf(displayText(draft, grapheme, width), grapheme);
    if (next > Math.min(column, width) || (last === 'on' && at + grapheme.length >= row.to)) break;
    cells = next;
    at += grapheme.length;
  }
  return at;
}

function widthOf(draft: Draft, part: string, width: number): number {
  if (asciiLine.test(part)) return part.length;
  let cells = 0;
  for (const grapheme of graphemes(part)) cells += cellsOf(displayText(draft, grapheme, width), grapheme);
  return cells;
}

/** Returns the cells of a displayed grapheme. Most are shown unchanged and need no further segmentation. */
const cellsOf = (text: string, grapheme: string): number =>
  text === grapheme ? graphemeWidth(grapheme) : cellWidth(text);
