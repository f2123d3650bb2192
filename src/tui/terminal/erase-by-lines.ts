import {type PositionQuery, type TerminalPosition, moveToLastColumn, cursorPositionQuery} from './cursor-position.ts';

/*
 * Erases the live region in xterm.js, which moves its cursor away from the text around it when it rewraps lines.
 * After any number of resizes, the rows drawn below the cursor are still there, except those that a lower terminal dropped from the end.
 * An index (IND) recreates dropped rows, and otherwise only moves down. From below the last line, the way up is counted in lines, not rows.
 * In the first cell of a row that continues a line, a backspace moves to the row before (reverse wraparound).
 * In a row that begins a line, a backspace does nothing. So the sequence works for every size that the terminal has when it arrives.
 * (xterm.js 6.0: Buffer.resize, InputHandler.index and backspace. test/tui/erase-by-lines.test.ts fuzzes against it.)
 */

/** The number of drawn lines, and the number of rows from the cursor to below the last line. */
export interface DrawnLines {
  readonly lines: number;
  readonly rowsBelow: number;
}

/**
 * Erases lines that were drawn in `columns` columns. Asks for the terminal's width and the row below the last line before erasing, then
 * for the row in which each line begins, from the last line up.
 */
export const eraseLines = (drawn: DrawnLines, columns: number): PositionQuery => ({
  text: toBelow(drawn) + moveToLastColumn + cursorPositionQuery + eraseUpwards(drawn, columns, cursorPositionQuery),
  replies: drawn.lines + 1,
});

/** The rows of lines, as the terminal's answers to `eraseLines` show them. */
export interface ErasedLines {
  readonly columns: number;
  /** The number of lines whose first row was not on the screen below its first row. */
  readonly above: number;
  /** The rows of the last of these lines that were on the screen. */
  readonly visible: number;
  /** The rows of each line below, from the first down. */
  readonly rows: readonly number[];
}

/** Reads the answers to `eraseLines`. */
export function erasedLines([below, ...starts]: readonly TerminalPosition[]): ErasedLines | undefined {
  if (below === undefined) return undefined;
  const tops = [below.row, ...starts.map(({row}) => row)];
  const rows = starts.map(({row}, at) => (tops[at] ?? row) - row);
  const first = starts.findIndex(({row}) => row === 1);
  const onScreen = first === -1 ? starts.length : first;
  return {
    columns: below.column,
    above: starts.length - onScreen,
    visible: rows[first] ?? 0,
    rows: rows.slice(0, onScreen).toReversed(),
  };
}

export interface SentFrame {
  readonly text: string;
  readonly rowsBelow: number;
}

/**
 * Makes an Ink frame harmless if it reaches the terminal after a resize. `before` is the previous frame, if it is still
 * drawn. In the result, wrapping joins no two lines. Text above the live region is written at the region's position
 * after the resize.
 */
export function harmlessFrame(written: string, before: SentFrame | 'none'): SentFrame {
  const erased = frameErased.exec(written);
  const rowsBelow = rowsBelowIn(written);
  if (erased === null) return {text: isWithin(written, before) ? unwrapped(written) : written, rowsBelow};
  // Ink has redrawn the live region just before erasing it.
  const first = written.slice(0, erased.index);
  const isNeeded = first !== '' && !isWithin(first, before);
  if (isNeeded ? !endsFrame(first) : before === 'none') return {text: written, rowsBelow};
  const drawn = {
    lines: Number(erased[1]) + (isNeeded || before === 'none' ? rowsBelowIn(first) : before.rowsBelow),
    rowsBelow: isNeeded || before === 'none' ? rowsBelowIn(first) : before.rowsBelow,
  };
  const after = written.slice(erased.index + erased[0].length);
  return {
    text: `${isNeeded ? first : ''}${hideCursor}${toBelow(drawn)}${eraseUpwards(drawn, rarelyWider)}${after}`,
    rowsBelow,
  };
}

const hideCursor = '\u001B[?25l';
const unwrapped = (frame: string): string => `\u001B[?7l${frame}\u001B[?7h`;

export const endsFrame = (written: string): boolean => written.endsWith('\n') || frameEnd.test(written);

/** True if the text is only a frame, so that another frame can replace it. */
export const isOnlyFrame = (written: string): boolean => endsFrame(written) && !switchesMode.test(written);

const rowsBelowIn = (frame: string): number => Number(frameEnd.exec(frame)?.[1] ?? 0);

/** True if a frame has the same number of rows as the previous one, above and below the cursor. */
function isWithin(frame: string, before: SentFrame | 'none'): before is SentFrame {
  if (before === 'none' || !isOnlyFrame(frame) || erases.test(frame)) return false;
  const body = frame.slice(0, frameEnd.exec(frame)?.index ?? frame.length);
  const down = body.split('\n').length - 1;
  const up = Array.from(body.matchAll(movesUp)).reduce((sum, [, rows]) => sum + Number(rows), 0);
  return down - up === before.rowsBelow && rowsBelowIn(frame) === before.rowsBelow;
}

/* oxlint-disable no-control-regex -- sequences of the terminal */
/** Matches Ink's end of a frame: the cursor moves from below the last row up to its cell, or stays. */
const frameEnd = /(?:\u001B\[(\d+)A)?\u001B\[\d+G\u001B\[\?25h$/u;
/** Matches Ink's sequence for erasing the last frame, from the cursor's cell. */
const frameErased = /\u001B\[\?25l\u001B\[(\d+)A\u001B\[1G\u001B\[J/u;
const erases = /\u001B\[(?:J|2K)/u;
const movesUp = /\u001B\[(\d+)A/gu;
/** Matches mode switches, except showing and hiding the cursor, which every frame contains. */
const switchesMode = /\u001B\[(?:[<>=]|\?(?!25[hl]))/u;
/* oxlint-enable no-control-regex */

/** The minimum number of columns of a terminal. It bounds the rows of a wrapped line. */
const fewestColumns = 4;

/** Columns for the sequence that goes with every text and must be short. It finds the start of lines of up to six rows. */
const rarelyWider = 24;

const toBelow = ({rowsBelow}: DrawnLines): string => '\u001BD'.repeat(rowsBelow);

const lineStart = (columns: number): string => `\r${'\b\r'.repeat(Math.ceil(columns / fewestColumns))}`;

/** Moves from the row below the last line to the first cell of the first line, and erases from there to the end of the screen. */
const eraseUpwards = ({lines}: DrawnLines, columns: number, atEachLine = ''): string =>
  `\u001B[?45h${lineStart(columns)}${`\u001B[A${lineStart(columns)}${atEachLine}`.repeat(lines)}\u001B[J\u001B[?45l`;
