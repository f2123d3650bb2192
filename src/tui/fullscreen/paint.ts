/** What stands on a screen, row by row, and the cell of its cursor. */
export interface Painted {
  readonly rows: readonly string[];
  readonly cursor: {readonly x: number; readonly y: number};
}

/** A screen that has just been cleared. */
export const blank = (rows: number): Painted => ({
  rows: Array.from({length: rows}, () => ''),
  cursor: {x: 0, y: 0},
});

/**
 * The bytes that make one screen of another of the same size; none where nothing differs. `scrolling` is how many rows from the
 * top move together: where most of them are there already, a few rows higher or lower, the terminal moves them itself.
 */
export function paint(before: Painted, after: Painted, scrolling: number): string {
  const shift = bestShift(before.rows, after.rows, scrolling);
  const moved = shift === 0 ? before.rows : shifted(before.rows, shift, scrolling);
  const changes = after.rows.flatMap((row, at) =>
    row === moved[at] ? [] : [`${cellAt(0, at)}${row}${eraseRest(row)}`],
  );
  const scroll = shift === 0 ? '' : scrolled(shift, scrolling);
  const isStill = before.cursor.x === after.cursor.x && before.cursor.y === after.cursor.y;
  if (scroll === '' && changes.length === 0) return isStill ? '' : cellAt(after.cursor.x, after.cursor.y);
  return `${hideCursor}${scroll}${changes.join('')}${cellAt(after.cursor.x, after.cursor.y)}${showCursor}`;
}

/** By how many rows the upper part has moved up (or down, where negative), if that leaves less to write. */
function bestShift(before: readonly string[], after: readonly string[], rows: number): number {
  const differing = (shift: number): number => {
    let count = 0;
    for (let at = 0; at < rows; at++) {
      const from = at + shift;
      if (after[at] !== (from >= 0 && from < rows ? before[from] : '')) count++;
    }
    return count;
  };
  let best = 0;
  let least = differing(0);
  // Fewer rows than it takes to scroll are written sooner.
  if (least <= 2) return 0;
  for (let shift = 1; shift < rows; shift++) {
    for (const each of [shift, -shift]) {
      const count = differing(each);
      if (count < least) {
        best = each;
        least = count;
      }
    }
  }
  return best;
}

const shifted = (rows: readonly string[], shift: number, top: number): readonly string[] =>
  rows.map((row, at) => {
    if (at >= top) return row;
    const from = at + shift;
    return from >= 0 && from < top ? (rows[from] ?? '') : '';
  });

/** The rows that come in are blank, in plain letters. */
const scrolled = (shift: number, rows: number): string =>
  `\u001B[0m\u001B[1;${rows}r` +
  (shift > 0 ? cellAt(0, rows - 1) + '\n'.repeat(shift) : cellAt(0, 0) + '\u001BM'.repeat(-shift)) +
  '\u001B[r';

const cellAt = (x: number, y: number): string => `\u001B[${y + 1};${x + 1}H`;

/** What is erased has the look of the letters before it. */
const eraseRest = (row: string): string => (row.includes('\u001B') ? '\u001B[0m\u001B[K' : '\u001B[K');

const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';
