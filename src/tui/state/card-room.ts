import type {Approval} from '../../actions/agent-event.ts';
import {accessOf} from '../../actions/catalogue.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactly} from '../../base/visible.ts';
import {planText} from '../../domain/plan.ts';
import {cellWidth} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';

/** The area of an approval card that is reserved for the action: its rows, and the cells of each row. */
export interface CardRoom {
  readonly rows: number;
  readonly cells: number;
}

/** True if a card of this size uses short texts. */
export const isTight = ({width, rows}: CardSize): boolean => rows < 18 || width < 50;

export interface CardSize {
  readonly width: number;
  readonly rows: number;
}

/** Returns the area that a card reserves for the action. The frame, the reasons, and the choices share the other rows. */
export const cardRoom = (size: CardSize): CardRoom => ({
  rows: Math.max(1, size.rows - (isTight(size) ? 6 : 13)),
  cells: Math.max(8, size.width - frameCells),
});

/** Returns the most rows of the draft below a card. A low screen leaves three to the card. */
export const draftRowsBelowCard = (rows: number): number => Math.max(0, Math.min(2, rows - 3));

/** Cells of a row that the frame and the marker column before a command use. */
const frameCells = 6;

/** Returns the frame of a card's content, between its border and margins. */
export const cardFrame = ({theme, width}: Frame): Frame => ({theme, width: Math.max(8, width - 4)});

/** Returns the exact text of an action, which the ranges of its verdict refer to. Empty if a diff or the title shows everything. */
export function exactText({preview, action}: Approval): string {
  switch (preview.kind) {
    case 'command':
      return preview.command;
    case 'arguments':
      return preview.text;
    case 'plan':
      return planText(preview.plan);
    case 'diff':
    case 'changes':
      return '';
    case 'none': {
      const access = accessOf(action);
      return access.kind === 'terminal-input' ? access.input : '';
    }
    default:
      return unreachable(preview);
  }
}

/** Returns the maximum number of rows that a text can need. A two-cell character can leave the last cell of a row free. */
export const rowsNeeded = (text: string, {cells}: CardRoom): number =>
  visibleExactly(text)
    .split('\n')
    .reduce((sum, line) => sum + lineRows(line, cells), 0);

const lineRows = (line: string, cells: number): number =>
  cellWidth(line) <= cells ? 1 : Math.ceil(cellWidth(line) / Math.max(1, cells - 1));

/**
 * True if the card shows every critical part at once. The card shows critical parts first. The user must see them
 * before allowing the action.
 */
export function showsCriticalParts(approval: Approval, room: CardRoom): boolean {
  const {criticalRanges} = approval.verdict.detail;
  if (criticalRanges.length === 0) return true;
  const text = exactText(approval);
  if (rowsNeeded(text, room) <= room.rows) return true;
  let needed = criticalRanges.length + 1;
  for (const {from, to} of criticalRanges) {
    const start = text.lastIndexOf('\n', from - 1) + 1;
    const end = text.indexOf('\n', to);
    const lines = rowsNeeded(text.slice(start, end < 0 ? text.length : end), room);
    needed += Math.min(lines, rowsNeeded(text.slice(from, to), room) + 1);
    if (needed > room.rows) return false;
  }
  return true;
}
