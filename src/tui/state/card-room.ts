import type {Approval} from '../../actions/agent-event.ts';
import {accessOf} from '../../actions/catalogue.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactly} from '../../base/visible.ts';
import {planText} from '../../domain/plan.ts';
import {cellWidth} from '../text/cell-width.ts';

/** The part of an approval card that surely shows what would be done: its rows, and the cells of each. */
export interface CardRoom {
  readonly rows: number;
  readonly cells: number;
}

/** Whether a card of that size says everything in short. */
export const isTight = ({width, rows}: CardSize): boolean => rows < 18 || width < 50;

export interface CardSize {
  readonly width: number;
  readonly rows: number;
}

/** The card keeps these rows for what would be done; its frame, the reasons and the choices share the others. */
export const cardRoom = (size: CardSize): CardRoom => ({
  rows: Math.max(1, size.rows - (isTight(size) ? 6 : 13)),
  cells: Math.max(8, size.width - frameCells),
});

/** Cells of a row that the frame takes, and the column of marks before a command. */
const frameCells = 6;

/** The exact text of an action that the ranges of its verdict refer to; empty where a diff or the title says it all. */
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

/** The rows that a text needs at most. A character of two cells may leave the last cell of a row free. */
export const rowsNeeded = (text: string, {cells}: CardRoom): number =>
  visibleExactly(text)
    .split('\n')
    .reduce((sum, line) => sum + lineRows(line, cells), 0);

const lineRows = (line: string, cells: number): number =>
  cellWidth(line) <= cells ? 1 : Math.ceil(cellWidth(line) / Math.max(1, cells - 1));

/** Whether the card, which shows the critical parts first, shows at once all that must be seen before a yes. */
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
