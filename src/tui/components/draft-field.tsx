import type {ReactNode} from 'react';
import {
  displayText,
  type Draft,
  type DraftRow,
  draftWidth,
  hasPaste,
  isEmptyDraft,
  placeInRows,
  rowsOfLine,
} from '../editor/draft.ts';
import {lineEnd, lineStart} from '../editor/text-buffer.ts';
import type {TextField} from '../editor/text-field.ts';
import type {VimMode} from '../editor/vim/run-command.ts';
import {vimKeys} from '../editor/vim-keys.ts';
import {fit, graphemes} from '../text/cell-width.ts';
import type {Frame, Layout} from '../text/wrap.ts';
import {keyHint} from '../terminal/keymap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Lines} from './lines.tsx';

/** The selected range in the draft's buffer, half open. */
type Selection = 'none' | {readonly from: number; readonly to: number};

interface ComposerOptions {
  readonly rows: number;
  readonly frame: Frame;
  readonly hint: string;
  readonly selection: Selection;
}

/** Lays out the draft after its prompt sign: at most `rows` lines around the cursor. Invisible lines aren't laid out. */
export function draftLayout(draft: Draft, {rows, frame, hint, selection}: ComposerOptions): Layout {
  const sign = frame.theme.style(['accent'], glyphs.prompt);
  if (isEmptyDraft(draft)) {
    return {
      lines: [`${sign} ${frame.theme.style(['dim'], fit(hint, Math.max(0, frame.width - 2)))}`],
      cursor: {x: 2, y: 0},
    };
  }
  const width = draftWidth(frame);
  const {shown, cursor} = rowsAround(draft, Math.max(1, rows), width);
  return {
    lines: shown.map(row => `${row.from === 0 ? sign : ' '} ${renderRow(draft, row, {width, frame, selection})}`),
    cursor: {x: cursor.x + 2, y: cursor.y},
  };
}

/** Returns the rows around the cursor. If not all rows fit, the cursor's row is the last one. */
function rowsAround(
  draft: Draft,
  maxRows: number,
  width: number,
): {readonly shown: readonly DraftRow[]; readonly cursor: Layout['cursor']} {
  const {text, cursor} = draft.buffer;
  const start = lineStart(draft.buffer.text, cursor);
  const own = rowsOfLine(draft, start, width);
  const place = placeInRows(draft, own, cursor, width);
  let shown = own.slice(Math.max(0, place.row + 1 - maxRows), place.row + maxRows);
  let above = Math.min(place.row, maxRows - 1);
  for (let first = start; first > 0 && above < maxRows - 1;) {
    first = lineStart(draft.buffer.text, first - 1);
    const rows = rowsOfLine(draft, first, width);
    const fitting = rows.slice(Math.max(0, rows.length - (maxRows - 1 - above)));
    shown = [...fitting, ...shown];
    above += fitting.length;
  }
  for (let end = lineEnd(draft.buffer.text, cursor); end < text.length && shown.length < maxRows;) {
    shown = [...shown, ...rowsOfLine(draft, end + 1, width)];
    end = lineEnd(draft.buffer.text, end + 1);
  }
  return {shown: shown.slice(0, maxRows), cursor: {x: place.x, y: above}};
}

function renderRow(
  draft: Draft,
  {from, to, text}: DraftRow,
  {width, frame, selection}: {readonly width: number; readonly frame: Frame; readonly selection: Selection},
): string {
  if (selection === 'none' || selection.to <= from || selection.from > Math.max(from, to - 1)) return text;
  const part = (start: number, end: number): string =>
    graphemes(draft.buffer.text.slice(Math.max(from, start), Math.max(from, Math.min(to, end))))
      .map(grapheme => displayText(draft, grapheme, width))
      .join('');
  const chosen = part(selection.from, selection.to);
  return (
    part(from, selection.from) + frame.theme.style(['selected'], chosen === '' ? ' ' : chosen) + part(selection.to, to)
  );
}

/** Returns the line below a text field: vim's mode and pending keys, and the key that expands a paste. */
function editingLines(field: TextField, frame: Frame): readonly string[] {
  const text = editingText(field);
  return text === '' ? [] : [frame.theme.style(['dim'], fit(text, frame.width))];
}

/** Returns the line below a text field as plain text. Empty if there is nothing to show. */
const editingText = (field: TextField): string =>
  [vimText(field), pasteHint(field)].filter(text => text !== '').join(glyphs.separator);

export const vimText = ({editing: {vim}}: TextField): string =>
  vim === 'off' ? '' : `-- ${modeNames[vim.mode]} --${vim.pending === '' ? '' : `  ${vim.pending}`}`;

/** Returns the hint for the key that expands a paste. Empty without a paste. */
export const pasteHint = ({draft}: TextField): string =>
  hasPaste(draft) ? keyHint('expand-paste', key => `${key}: expand the paste`) : '';

const modeNames: Readonly<Record<VimMode, string>> = {
  insert: 'INSERT',
  normal: 'NORMAL',
  visual: 'VISUAL',
  'visual-line': 'VISUAL LINE',
};

export function selectionIn({draft, editing: {vim}}: TextField): Selection {
  return vim === 'off' || (vim.mode !== 'visual' && vim.mode !== 'visual-line')
    ? 'none'
    : vimKeys().selectionOf({draft, vim});
}

interface CardFieldProps {
  readonly field: Layout;
}

export const CardField = ({field}: CardFieldProps): ReactNode => <Lines lines={field.lines} cursor={field.cursor} />;

/** Lays out a text field: at most `rows` rows of text, and a row for vim's mode and key hints. */
export function fieldLayout(
  field: TextField,
  {hint, rows}: {readonly hint: string; readonly rows: number},
  frame: Frame,
): Layout {
  const written = draftLayout(field.draft, {rows, frame, hint, selection: selectionIn(field)});
  return {lines: [...written.lines, ...editingLines(field, frame)], cursor: written.cursor};
}
