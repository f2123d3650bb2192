import type {Layout} from '../text/wrap.ts';
import {cellWidth, graphemes, graphemeWidth, stripStyles} from '../text/cell-width.ts';

/**
 * How a terminal handles lines that no longer fit when it becomes narrower. `wrapped`: wraps them, and the cursor stays with its
 * character. `adrift`: wraps them except the cursor's line, and the cursor moves away from its line. `cut`: clips them.
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

/** Returns the number of rows from the start of the live region to the cursor, after the terminal became narrower and wrapped its lines. */
export function rowsUp({lines, cursor}: Layout, columns: number): number {
  const above = lines.slice(0, cursor.y).reduce((sum, line) => sum + rowsOf(line, columns), 0);
  return above + Math.floor(cursor.x / columns);
}

/** Returns the leading lines that are completely above the screen, if the rows begin `above` rows above it. */
export function linesAbove(lines: readonly string[], above: number, columns: number): readonly string[] {
  let left = above;
  const visible = lines.findIndex(line => (left -= rowsOf(line, columns)) < 0);
  return lines.slice(0, visible < 0 ? lines.length : visible);
}

/** Returns the number of rows of a wrapped line without line feeds. A wide character that does not fit at the end of a row leaves a cell free. */
export function rowsOf(line: string, columns: number): number {
  const text = stripStyles(line);
  const cells = cellWidth(text);
  if (cells === text.length || columns < 2) return Math.max(1, Math.ceil(cells / columns));
  let rows = 1;
  let used = 0;
  for (const grapheme of graphemes(text)) {
    const width = graphemeWidth(grapheme);
    if (used + width > columns) {
      rows += 1;
      used = 0;
    }
    used += width;
  }
  return rows;
}
