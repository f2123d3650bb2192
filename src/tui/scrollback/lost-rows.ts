import {stripStyles} from '../text/cell-width.ts';

/** Returns the rows' text without styles and blanks, for comparison: the same words may be wrapped differently. */
export const unstyledText = (rows: readonly string[]): string => stripStyles(rows.join('')).replaceAll(/\s+/gu, '');

/**
 * Returns how many of the lost rows are the beginning of a block of these lines. Lost rows are rows of unfinished entries that stand
 * above the live region and can't be erased, so they count as written.
 */
export function countLostRows(lines: readonly string[], lost: readonly string[]): number {
  let rest = lost.length === 0 ? '' : unstyledText(lines);
  const end = lost.findIndex(row => {
    const text = unstyledText([row]);
    if (!rest.startsWith(text)) return true;
    rest = rest.slice(text.length);
    return false;
  });
  const count = end < 0 ? lost.length : end;
  return unstyledText(lost.slice(0, count)) === '' ? 0 : count;
}
