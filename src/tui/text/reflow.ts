import type {Placed} from '../views/composer-view.ts';
import {cellWidth} from './cell-width.ts';

/**
 * What a terminal that becomes narrower does to lines that no longer fit. `wrapped`: onto more rows, and the cursor stays with its
 * letter. `adrift`: the same, but the line
 * where the cursor stands is cut, and the cursor moves down by the rows that come to be below it.
 * `cut`: nothing, there is no more of them to be seen.
 */
export type Reflow = 'wrapped' | 'adrift' | 'cut';

/** By what a terminal answers to the question what it is (secondary device attributes). */
export function reflowOf(attributes: string): Reflow {
  const [kind, version] = attributes.split(';');
  // xterm.js (VS Code and others) has the version of the xterm that it once followed.
  if (kind === '0' && version === '276') return 'adrift';
  // xterm, GNU screen; PuTTY.
  return kind === '41' || kind === '83' || (kind === '0' && version === '136') ? 'cut' : 'wrapped';
}

/** Rows below the cursor are dropped first where a terminal becomes lower; in doubt nothing above may be erased for them. */
interface Reflowed {
  readonly reflow: Reflow;
  readonly below: 'there' | 'perhaps-gone';
}

/**
 * How many rows above the cursor the live region begins after the terminal became narrower: lines that no longer fit have been
 * wrapped onto more rows.
 */
export function rowsUp({lines, cursor}: Placed, columns: number, {reflow, below}: Reflowed): number {
  const rows = lines.map(line => rowsOf(line, columns));
  if (reflow === 'cut' || rows.every(count => count === 1)) return cursor.y;
  const above = rows.slice(0, cursor.y).reduce((sum, count) => sum + count, 0);
  if (reflow === 'wrapped') return above + Math.floor(cursor.x / columns);
  return above + (below === 'there' ? drift(rows, cursor.y) : 0);
}

/** The terminal goes from the last line to the first, and looks each time where the cursor has got to. */
function drift(rows: readonly number[], cursorRow: number): number {
  let at = cursorRow;
  for (let line = rows.length - 1; line >= cursorRow; line--) {
    if (line !== at) at += (rows[line] ?? 1) - 1;
  }
  return at - cursorRow;
}

// oxlint-disable-next-line no-control-regex -- SGR begins with ESC
const styling = /\u001B\[[\d;]*m/gu;

const rowsOf = (line: string, columns: number): number =>
  Math.max(1, Math.ceil(cellWidth(line.replaceAll(styling, '')) / columns));
