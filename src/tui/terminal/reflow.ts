import type {Layout} from '../text/wrap.ts';
import {cellWidth} from '../text/cell-width.ts';

/**
 * What a terminal does with lines that no longer fit when it becomes narrower. `wrapped`: it wraps them and the cursor stays with its
 * character. `adrift`: it wraps them, but cuts the line of the cursor, and the cursor moves down by the rows added below it.
 * `cut`: it clips them.
 */
export type Reflow = 'wrapped' | 'adrift' | 'cut';

/** Reads the secondary device attributes (DA2). */
export function reflowOf(attributes: string): Reflow {
  const [kind, version] = attributes.split(';');
  // xterm.js (VS Code and others) reports version 276.
  if (kind === '0' && version === '276') return 'adrift';
  // xterm, GNU screen; PuTTY.
  return kind === '41' || kind === '83' || (kind === '0' && version === '136') ? 'cut' : 'wrapped';
}

/**
 * `below` are the rows below the cursor. A terminal that becomes lower drops them first; and where a terminal went through several
 * sizes, how they moved the cursor at each is not known. `uncertain` then prevents erasing finished text above the region.
 */
interface Reflowed {
  readonly reflow: Reflow;
  readonly below: 'there' | 'uncertain';
}

/** How many rows above the cursor the live region begins after the terminal became narrower and wrapped its lines. */
export function rowsUp({lines, cursor}: Layout, columns: number, {reflow, below}: Reflowed): number {
  const rows = lines.map(line => rowsOf(line, columns));
  if (reflow === 'cut' || rows.every(count => count === 1)) return cursor.y;
  const above = rows.slice(0, cursor.y).reduce((sum, count) => sum + count, 0);
  if (reflow === 'wrapped') return above + Math.floor(cursor.x / columns);
  return above + (below === 'there' ? drift(rows, cursor.y) : 0);
}

/** Rows by which the cursor moves: the terminal wraps from the last line to the first, and the cursor moves with each line added below it. */
function drift(rows: readonly number[], cursorRow: number): number {
  let at = cursorRow;
  for (let line = rows.length - 1; line >= cursorRow; line--) {
    if (line !== at) at += (rows[line] ?? 1) - 1;
  }
  return at - cursorRow;
}

// oxlint-disable-next-line no-control-regex -- SGR begins with ESC
const styling = /\u001B\[[\d;]*m/gu;

/** The first lines that lie above the screen as a whole, of lines whose rows begin `above` rows above it. */
export function linesAbove(lines: readonly string[], above: number, columns: number): readonly string[] {
  let left = above;
  const visible = lines.findIndex(line => (left -= rowsOf(line, columns)) < 0);
  return lines.slice(0, visible < 0 ? lines.length : visible);
}

const rowsOf = (line: string, columns: number): number =>
  Math.max(1, Math.ceil(cellWidth(line.replaceAll(styling, '')) / columns));
