import {isEmptyDraft, look, type Draft} from '../input/draft.ts';
import {lineEnd, lineStart, placeInRows, rowsOfLine, type DraftRow} from '../input/draft-rows.ts';
import {fit, graphemes} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';

/** Lines, and the cell the terminal's cursor belongs on, counted from the first of them. */
export interface Placed {
  readonly lines: readonly string[];
  readonly cursor: {readonly x: number; readonly y: number};
}

/** A part of the draft's buffer that is selected; from there to before the second place. */
export type Selection = 'none' | {readonly from: number; readonly to: number};

export interface ComposerPlace {
  readonly rows: number;
  readonly frame: Frame;
  /** Shown while nothing is written. */
  readonly hint: string;
  readonly selection: Selection;
}

/** Cells of a row of the draft: beside the prompt sign and its blank, one for the cursor behind the last character. */
export const draftWidth = (frame: Frame): number => Math.max(1, frame.width - 3);

/**
 * The draft behind its prompt sign, at most `rows` lines around the cursor. Only the lines that may be seen are laid out, so that
 * a long draft costs no more than a short one.
 */
export function composerView(draft: Draft, {rows, frame, hint, selection}: ComposerPlace): Placed {
  const sign = frame.theme.paint(['accent'], glyphs.prompt);
  if (isEmptyDraft(draft)) {
    return {
      lines: [`${sign} ${frame.theme.paint(['dim'], fit(hint, Math.max(0, frame.width - 2)))}`],
      cursor: {x: 2, y: 0},
    };
  }
  const width = draftWidth(frame);
  const {shown, cursor} = rowsAround(draft, Math.max(1, rows), width);
  return {
    lines: shown.map(row => `${row.from === 0 ? sign : ' '} ${painted(draft, row, {width, frame, selection})}`),
    cursor: {x: cursor.x + 2, y: cursor.y},
  };
}

/** The cursor's row is the last one that is shown where there is no room for all above it. */
function rowsAround(
  draft: Draft,
  most: number,
  width: number,
): {readonly shown: readonly DraftRow[]; readonly cursor: Placed['cursor']} {
  const {text, cursor} = draft.buffer;
  const start = lineStart(draft, cursor);
  const own = rowsOfLine(draft, start, width);
  const place = placeInRows(draft, own, cursor, width);
  let shown = own.slice(Math.max(0, place.row + 1 - most), place.row + most);
  let above = Math.min(place.row, most - 1);
  for (let first = start; first > 0 && above < most - 1;) {
    first = lineStart(draft, first - 1);
    const rows = rowsOfLine(draft, first, width);
    const fitting = rows.slice(Math.max(0, rows.length - (most - 1 - above)));
    shown = [...fitting, ...shown];
    above += fitting.length;
  }
  for (let end = lineEnd(draft, cursor); end < text.length && shown.length < most;) {
    shown = [...shown, ...rowsOfLine(draft, end + 1, width)];
    end = lineEnd(draft, end + 1);
  }
  return {shown: shown.slice(0, most), cursor: {x: place.x, y: above}};
}

function painted(
  draft: Draft,
  {from, to, text}: DraftRow,
  {width, frame, selection}: {readonly width: number; readonly frame: Frame; readonly selection: Selection},
): string {
  if (selection === 'none' || selection.to <= from || selection.from > to) return text;
  const part = (start: number, end: number): string =>
    graphemes(draft.buffer.text.slice(Math.max(from, start), Math.max(from, Math.min(to, end))))
      .map(grapheme => look(draft, grapheme, width))
      .join('');
  const chosen = part(selection.from, selection.to);
  return (
    part(from, selection.from) + frame.theme.paint(['selected'], chosen === '' ? ' ' : chosen) + part(selection.to, to)
  );
}
