import {stripStyles} from '../text/cell-width.ts';

// Lost rows are rows that a terminal pushed into its scrollback when it became too small. They can't be erased, so they
// count as written.

/** Returns the rows' text without styles and blanks, for comparison: the same words may be wrapped differently. */
export const unstyledText = (rows: readonly string[]): string => stripStyles(rows.join('')).replaceAll(/\s+/gu, '');

/** Returns the lines without the leading ones that are completely in the lost text. A partly lost line stays. */
export function dropLostLines(lines: readonly string[], lost: string): readonly string[] {
  let rest = lost;
  let dropped = 0;
  for (const [at, line] of lines.entries()) {
    const text = unstyledText([line]);
    if (text === '') continue;
    if (rest === '' || !rest.startsWith(text)) break;
    rest = rest.slice(text.length);
    dropped = at + 1;
  }
  return lines.slice(dropped);
}
