/** Rows that a terminal which became too small has pushed into its scrollback: they cannot be erased, so they count as written. */

/** What of the rows is compared: their characters, since the same words may be wrapped otherwise. */
// oxlint-disable-next-line no-control-regex -- SGR begins with ESC
export const bareText = (rows: readonly string[]): string => rows.join('').replaceAll(/\u001B\[[\d;]*m|\s+/gu, '');

interface Remaining {
  readonly lines: readonly string[];
  /** What is lost of the lines that come after these. */
  readonly lost: string;
}

/** The lines without those at their beginning that are lost as a whole; a line of which a part is lost stays. */
export function withoutLost(lines: readonly string[], lost: string): Remaining {
  if (lost === '') return {lines, lost};
  let rest = lost;
  let dropped = 0;
  for (const [at, line] of lines.entries()) {
    const text = bareText([line]);
    if (text === '') continue;
    if (!rest.startsWith(text)) return {lines: lines.slice(dropped), lost: ''};
    rest = rest.slice(text.length);
    dropped = at + 1;
  }
  return {lines: lines.slice(dropped), lost: rest};
}
