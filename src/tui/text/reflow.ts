import type {Placed} from '../views/composer-view.ts';
import {cellWidth} from './cell-width.ts';

/**
 * After the terminal became narrower, lines of the live region that no longer fit have been wrapped onto more rows. The
 * answer erases the region from its true first row and puts the cursor where it would stand had nothing been wrapped.
 */
export function rowsAfterReflow({lines, cursor}: Placed, columns: number): string {
  let above = 0;
  let extra = 0;
  for (const [at, line] of lines.entries()) {
    const rows = rowsOf(line, columns);
    extra += rows - 1;
    if (at < cursor.y) above += rows;
  }
  if (extra === 0) return '';
  const up = above + Math.floor(cursor.x / columns);
  const down = '\n'.repeat(cursor.y);
  return `${up > 0 ? `\u001B[${up}A` : ''}\r\u001B[J${down}`;
}

// oxlint-disable-next-line no-control-regex -- SGR begins with ESC
const styling = /\u001B\[[\d;]*m/gu;

const rowsOf = (line: string, columns: number): number =>
  Math.max(1, Math.ceil(cellWidth(line.replaceAll(styling, '')) / columns));
