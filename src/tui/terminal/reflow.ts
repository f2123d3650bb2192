import {hardWrap, type Layout} from '../text/wrap.ts';
import {cellWidth, stripStyles} from '../text/cell-width.ts';

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

/** Returns the number of rows from the first line to the cursor, after the terminal wrapped its lines at `columns`. */
export function rowsUp({lines, cursor}: Layout, columns: number, reflow: Reflow = 'wrapped'): number {
  if (reflow === 'cut') return cursor.y;
  const above = sumOf(lines.slice(0, cursor.y).map(line => rowsOf(line, columns)));
  return above + Math.floor(cursor.x / columns);
}

/** Returns the cell `rows` rows above the cursor, in the lines that the terminal wrapped at `columns`. */
export function cellAbove({lines, cursor}: Layout, rows: number, columns: number): Layout['cursor'] {
  let left = rows;
  const y = lines.slice(0, cursor.y).findLastIndex(line => (left -= rowsOf(line, columns)) <= 0);
  return {x: cursor.x - left * columns, y: Math.max(0, y)};
}

/** Returns the text of the first `rows` rows. If they end inside a wrapped line, the last line is its beginning, up to a whole word. */
export function linesOfRows(
  lines: readonly string[],
  rows: number,
  columns: number,
  reflow: Reflow,
): readonly string[] {
  let left = rows;
  const end = lines.findIndex(line => (left -= reflow === 'cut' ? 1 : rowsOf(line, columns)) < 0);
  const cut = lines[end];
  if (cut === undefined) return lines;
  const wrapped = hardWrap(stripStyles(cut), columns);
  const begun = wrapped.slice(0, left).join('');
  if (begun === '' || reflow === 'cut') return lines.slice(0, end);
  return [...lines.slice(0, end), wrapped.at(left)?.startsWith(' ') === true ? begun : withoutBegunWord(begun)];
}

/** Replaces the beginning of a word at the end by blanks: the word is written again as a whole. A text without blanks stays. */
const withoutBegunWord = (text: string): string => text.replace(/(?<= )[^ ]+$/u, word => ' '.repeat(cellWidth(word)));

export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Returns the number of rows of a wrapped line without line feeds. A wide character that does not fit at the end of a row leaves a cell free. */
export function rowsOf(line: string, columns: number): number {
  const text = stripStyles(line);
  const cells = cellWidth(text);
  return cells === text.length || columns < 2
    ? Math.max(1, Math.ceil(cells / columns))
    : hardWrap(text, columns).length;
}
