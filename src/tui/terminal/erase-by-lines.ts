import {type PositionQuery, toLastColumn, whereIsCursor} from './cursor-position.ts';

/*
 * How the live region is erased in xterm.js, which moves its cursor away from what is around it when it wraps lines anew. What holds after any
 * number of sizes: below the cursor are as many rows as were drawn there, but for those that a lower terminal has dropped from the end. An
 * index (IND) makes these anew, and otherwise only goes down. From below the last line the way up is counted in lines, not in rows: in
 * the first cell of a row that continues a line, a backspace leads to the row before (reverse wraparound), and does nothing in a row that
 * begins one. So the way is right for every size that the terminal has by the time it gets there, also of a frame drawn for one before.
 * (xterm.js 6.0: Buffer.resize, InputHandler.index and backspace; fuzzed against it in test/tui/erase-by-lines.test.ts.)
 */

/** Lines without line feeds in them, and how many rows below the cursor they end. */
export interface DrawnLines {
  readonly lines: number;
  readonly rowsBelow: number;
}

/** Erases what was drawn in so many columns; asks for the terminal's width and the row below the last line, as they were before. */
export const eraseLines = (drawn: DrawnLines, columns: number): PositionQuery => ({
  text: toBelow(drawn) + toLastColumn + whereIsCursor + eraseUpwards(drawn, columns),
  replies: 1,
});

export interface SentFrame {
  readonly text: string;
  readonly rowsBelow: number;
}

/**
 * A frame of Ink so that it does no harm where it gets to the terminal after a resize; `before` is the frame before it, if that is still
 * there. It wraps nothing that would join two lines, and text goes above the live region wherever that is by then.
 */
export function harmlessFrame(written: string, before: SentFrame | 'none'): SentFrame {
  const erased = frameErased.exec(written);
  const rowsBelow = rowsBelowIn(written);
  if (erased === null) return {text: isWithin(written, before) ? unwrapped(written) : written, rowsBelow};
  // Ink has drawn the live region anew just before it is erased.
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

/** Whether another frame makes up for it. */
export const isOnlyFrame = (written: string): boolean => endsFrame(written) && !switchesMode.test(written);

const rowsBelowIn = (frame: string): number => Number(frameEnd.exec(frame)?.[1] ?? 0);

/** Whether a frame has as many rows as the one before it, above the cursor and below. */
function isWithin(frame: string, before: SentFrame | 'none'): before is SentFrame {
  if (before === 'none' || !isOnlyFrame(frame) || erases.test(frame)) return false;
  const body = frame.slice(0, frameEnd.exec(frame)?.index ?? frame.length);
  const down = body.split('\n').length - 1;
  const up = Array.from(body.matchAll(movesUp)).reduce((sum, [, rows]) => sum + Number(rows), 0);
  return down - up === before.rowsBelow && rowsBelowIn(frame) === before.rowsBelow;
}

/* oxlint-disable no-control-regex -- sequences of the terminal */
/** What Ink ends a frame with: the cursor goes from the row below the last one up to its cell, or stays where it is. */
const frameEnd = /(?:\u001B\[(\d+)A)?\u001B\[\d+G\u001B\[\?25h$/u;
/** What Ink erases the last frame with, from the cell of its cursor. */
const frameErased = /\u001B\[\?25l\u001B\[(\d+)A\u001B\[1G\u001B\[J/u;
const erases = /\u001B\[(?:J|2K)/u;
const movesUp = /\u001B\[(\d+)A/gu;
/** Those of the cursor belong to every frame. */
const switchesMode = /\u001B\[(?:[<>=]|\?(?!25[hl]))/u;
/* oxlint-enable no-control-regex */

/** A line that was drawn in so many columns has at most as many rows as fit into them: no terminal is narrower. */
const fewestColumns = 4;

/** What goes with every text has to be short: it finds the beginning of lines that have up to six rows by then. */
const rarelyWider = 24;

const toBelow = ({rowsBelow}: DrawnLines): string => '\u001BD'.repeat(rowsBelow);

const lineStart = (columns: number): string => `\r${'\b\r'.repeat(Math.ceil(columns / fewestColumns))}`;

/** From the row below the last line to the first cell of the first one, and erases from there on. */
const eraseUpwards = ({lines}: DrawnLines, columns: number): string =>
  `\u001B[?45h${lineStart(columns)}${`\u001B[A${lineStart(columns)}`.repeat(lines)}\u001B[J\u001B[?45l`;
