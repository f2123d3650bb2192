// Lost rows are rows that a terminal pushed into its scrollback when it became too small. They can't be erased, so they
// count as written.

/** Returns the rows' text without styles and blanks, for comparison: the same words may be wrapped differently. */
// oxlint-disable-next-line no-control-regex -- SGR begins with ESC
export const unstyledText = (rows: readonly string[]): string => rows.join('').replaceAll(/\u001B\[[\d;]*m|\s+/gu, '');

interface Remaining {
  readonly lines: readonly string[];
  /** The rest of the lost text, which belongs to later lines. */
  readonly lost: string;
}

/** Drops leading lines that are completely lost. A partly lost line stays. */
export function dropLostLines(lines: readonly string[], lost: string): Remaining {
  if (lost === '') return {lines, lost};
  let rest = lost;
  let dropped = 0;
  for (const [at, line] of lines.entries()) {
    const text = unstyledText([line]);
    if (text === '') continue;
    if (!rest.startsWith(text)) return {lines: lines.slice(dropped), lost: ''};
    rest = rest.slice(text.length);
    dropped = at + 1;
  }
  return {lines: lines.slice(dropped), lost: rest};
}
