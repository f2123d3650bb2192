import {cellWidth, graphemes, graphemeWidth} from '../text/cell-width.ts';
import {look, type Draft} from './draft.ts';

/** One row of a draft on screen: the part of the buffer it shows (UTF-16 units), and how that looks. */
export interface DraftRow {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Where the cursor stands among rows. */
export interface RowPlace {
  readonly row: number;
  /** Cells from the left; may be one beyond the last character. */
  readonly x: number;
}

const asciiLine = /^[\u0020-\u007E]*$/u;

/** The rows of the line that begins at `from`, broken hard at `width` cells; no character is split. */
export function rowsOfLine(draft: Draft, from: number, width: number): readonly DraftRow[] {
  const line = draft.buffer.text.slice(from, lineEnd(draft, from));
  if (asciiLine.test(line)) {
    const count = Math.max(1, Math.ceil(line.length / width));
    return Array.from({length: count}, (_, at) => {
      const text = line.slice(at * width, (at + 1) * width);
      return {from: from + at * width, to: from + at * width + text.length, text};
    });
  }
  const rows: DraftRow[] = [];
  let row = {from, text: '', cells: 0};
  let at = from;
  for (const grapheme of graphemes(line)) {
    const text = look(draft, grapheme, width);
    const cells = cellsOf(text, grapheme);
    if (row.cells + cells > width && row.cells > 0) {
      rows.push({from: row.from, to: at, text: row.text});
      row = {from: at, text: '', cells: 0};
    }
    row = {from: row.from, text: row.text + text, cells: row.cells + cells};
    at += grapheme.length;
  }
  rows.push({from: row.from, to: at, text: row.text});
  return rows;
}

/** Which of a line's rows a place is on; a place between two rows is on the second one. */
export function placeInRows(draft: Draft, rows: readonly DraftRow[], cursor: number, width: number): RowPlace {
  const row = Math.max(
    0,
    rows.findLastIndex(({from}) => from <= cursor),
  );
  const from = rows[row]?.from ?? cursor;
  return {row, x: widthOf(draft, draft.buffer.text.slice(from, cursor), width)};
}

/** The cursor a row up or down as the draft is broken on screen, at this cell column; `undefined` beyond its ends. */
export function movedByRow(
  draft: Draft,
  {direction, width, goal}: {readonly direction: 'up' | 'down'; readonly width: number; readonly goal: number | 'none'},
): {readonly draft: Draft; readonly goal: number} | undefined {
  const {text, cursor} = draft.buffer;
  const start = lineStart(draft, cursor);
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
  if (direction === 'up') return start === 0 ? undefined : rowsOfLine(draft, lineStart(draft, start - 1), width).at(-1);
  const end = lineEnd(draft, start);
  return end >= draft.buffer.text.length ? undefined : rowsOfLine(draft, end + 1, width)[0];
}

/** On a row that goes on in the next one there is no place behind its last character. */
function atColumn(
  draft: Draft,
  row: DraftRow,
  {column, width, last}: {readonly column: number; readonly width: number; readonly last: 'on' | 'behind'},
): number {
  let at = row.from;
  let cells = 0;
  for (const grapheme of graphemes(draft.buffer.text.slice(row.from, row.to))) {
    const next = cells + cellsOf(look(draft, grapheme, width), grapheme);
    if (next > column || (last === 'on' && at + grapheme.length >= row.to)) break;
    cells = next;
    at += grapheme.length;
  }
  return at;
}

/** Cells that a part of the buffer takes on one row. */
function widthOf(draft: Draft, part: string, width: number): number {
  if (asciiLine.test(part)) return part.length;
  let cells = 0;
  for (const grapheme of graphemes(part)) cells += cellsOf(look(draft, grapheme, width), grapheme);
  return cells;
}

/** Most graphemes look like themselves, and need not be divided again. */
const cellsOf = (text: string, grapheme: string): number =>
  text === grapheme ? graphemeWidth(grapheme) : cellWidth(text);

export const lineStart = ({buffer: {text}}: Draft, at: number): number =>
  at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;

export function lineEnd({buffer: {text}}: Draft, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
