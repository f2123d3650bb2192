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
  readonly lines: number;
  readonly rowsBelow: number;
}

/**
 * Makes an Ink frame harmless if it reaches the terminal after a resize. `before` is the previous frame, if it is still
 * drawn. In the result, wrapping joins no two lines, and a frame of as many lines scrolls no row away. Text above the live region is
 * written at the region's position after the resize.
 */
export function harmlessFrame(written: string, before: SentFrame | 'none'): SentFrame {
  const rowsBelow = rowsBelowIn(written);
  const erased = frameErased.exec(written);
  if (erased === null) {
    return {text: inPlace(written, before) ?? written, lines: linesAfter(written, before), rowsBelow};
  }
  // Ink has redrawn the live region just before erasing it. A lower terminal would push rows of it into its scrollback.
  const first = written.slice(0, erased.index);
  const last = first === '' && before !== 'none' ? before.rowsBelow : rowsBelowIn(first);
  const lines = Number(erased[1]) + last;
  const isRedrawn = first === '' ? before !== 'none' : isOnlyFrame(first) && linesAfter(first, before) === lines;
  if (!isRedrawn) return {text: written, lines, rowsBelow};
  const erasing = before === 'none' ? '' : toBelow(before) + eraseUpwards(before, rarelyWider);
  return {text: hideCursor + erasing + written.slice(erased.index + erased[0].length), lines, rowsBelow};
}

const hideCursor = '\u001B[?25l';
/**
 * Writes a frame of no fewer lines than the one before so that its rows stay the rows of lines, however the terminal wrapped them. It
 * scrolls only for new lines. xterm.js takes a row for the beginning of a line after a line feed or erasing from its first cell.
 * Returns `undefined` for other frames.
 */
function inPlace(frame: string, before: SentFrame | 'none'): string | undefined {
  const [toBottom = '', up, body, ...others] = frame.slice(0, frameEnd.exec(frame)?.index).split(movesUp);
  const isFrame = isOnlyFrame(frame) && !erases.test(frame) && up !== undefined && body !== undefined;
  if (before === 'none' || !isFrame || others.length > 0 || toBottom.split('\n').length - 1 !== before.rowsBelow)
    return undefined;
  const rows = body
    .replaceAll(wholeRow, (_, text: string) => `\u001B[1G${text === '' ? ' ' : text}\u001B[K`)
    .split('\n');
  const [drawn, added] = [rows.slice(0, Number(up)), rows.slice(Number(up))];
  if (added.length === 0) return undefined;
  const end = frame.slice(frameEnd.exec(frame)?.index ?? frame.length);
  const lines = drawn.map(row => `${row}\r\u001B[B`).join('');
  return `\u001B[?7l${toBottom.replaceAll('\n', index)}\u001B7\u001B[${up}A${lines}\u001B8\r${added.join(`\r${index}`)}${end}\u001B[?7h`;
}

export const endsFrame = (written: string): boolean => written.endsWith('\n') || frameEnd.test(written);

/** True if the text is only a frame, so that another frame can replace it. */
export const isOnlyFrame = (written: string): boolean => endsFrame(written) && !switchesMode.test(written);

const rowsBelowIn = (frame: string): number => Number(frameEnd.exec(frame)?.[1] ?? 0);

/** Returns the number of lines that are drawn after a frame. */
function linesAfter(frame: string, before: SentFrame | 'none'): number {
  const body = frame.slice(0, frameEnd.exec(frame)?.index ?? frame.length);
  const down = body.split('\n').length - 1;
  const up = Array.from(body.matchAll(movesUp)).reduce((sum, [, rows]) => sum + Number(rows), 0);
  return (before === 'none' ? 0 : before.lines - before.rowsBelow) + down - up;
}

/* oxlint-disable no-control-regex -- sequences of the terminal */
/** Matches Ink's end of a frame: the cursor moves from below the last row up to its cell, or stays. */
const frameEnd = /(?:\u001B\[(\d+)A)?\u001B\[\d+G\u001B\[\?25h$/u;
/** Matches Ink's sequence for erasing the last frame, from the cursor's cell. */
const frameErased = /\u001B\[\?25l\u001B\[(\d+)A\u001B\[1G\u001B\[J/u;
const erases = /\u001B\[(?:J|2K)/u;
/** Matches a row that Ink writes anew. */
const wholeRow = /\u001B\[1G\u001B\[K([^\r\n]*)/gu;
const movesUp = /\u001B\[(\d+)A/gu;
/** Matches mode switches, except showing and hiding the cursor, which every frame contains. */
const switchesMode = /\u001B\[(?:[<>=]|\?(?!25[hl]))/u;
/* oxlint-enable no-control-regex */

/** The minimum number of columns of a terminal. It bounds the rows of a wrapped line. */
const fewestColumns = 4;

/** Columns for the sequence that goes with every text and must be short. It finds the start of lines of up to six rows. */
const rarelyWider = 24;

/** Moves down, and scrolls in the last row (IND). */
const index = '\u001BD';

const toBelow = ({rowsBelow}: DrawnLines): string => index.repeat(rowsBelow);

const lineStart = (columns: number): string => `\r${'\b\r'.repeat(Math.ceil(columns / fewestColumns))}`;

/** Moves from the row below the last line to the first cell of the first line, and erases from there to the end of the screen. */
const eraseUpwards = ({lines}: DrawnLines, columns: number, atEachLine = ''): string =>
  `\u001B[?45h${lineStart(columns)}${`\u001B[A${lineStart(columns)}${atEachLine}`.repeat(lines)}\u001B[J\u001B[?45l`;
