import {type PositionQuery, type TerminalPosition, toLastColumn, whereIsCursor} from './cursor-position.ts';

/*
 * How the live region is found again in xterm.js, which moves its cursor away from what is around it when it wraps lines anew. A second
 * position is saved in the row below the last one that was drawn: it moves with all rows that are added or taken above it, so that after
 * any number of resizes it is still below the last line. From there the way up is counted in lines, not in rows: in the first cell of a row
 * that continues a line, a backspace leads to the row before (reverse wraparound), and does nothing in a row that begins one. So the way
 * holds for every width that the terminal has by the time it gets there. A frame may get there when the size that it was drawn for is gone,
 * too: those that stay within the rows of the one before leave the anchor where it is, and wrap nothing.
 * (xterm.js 6.0: Buffer.resize, InputHandler.backspace; fuzzed against it in test/tui/anchor.test.ts.)
 */

const saveCursor = '\u001B7';
const restoreCursor = '\u001B8';

/** What Ink ends a frame with: the cursor goes from the row below the last one up to its cell, or stays where it is. */
// oxlint-disable-next-line no-control-regex -- sequences of the terminal
const frameEnd = /(?:\u001B\[(\d+)A)?\u001B\[\d+G\u001B\[\?25h$/u;

/** What Ink erases the last frame with, from the cell of its cursor. */
// oxlint-disable-next-line no-control-regex -- sequences of the terminal
const frameErased = /\u001B\[\?25l\u001B\[(\d+)A\u001B\[1G\u001B\[J/u;

/** Whether what Ink has written ends a frame. */
export const endsFrame = (written: string): boolean => written.endsWith('\n') || frameEnd.test(written);

/** Whether another frame makes up for it. */
export const isOnlyFrame = (written: string): boolean => endsFrame(written) && !switchesMode.test(written);

/** What is sent of a frame, and the rows from its cursor down to the anchor. */
export interface AnchoredFrame {
  readonly text: string;
  readonly rowsBelowCursor: number;
}

/** A frame of Ink that keeps or saves the anchor; `before` is the frame before it, if its anchor is still there. */
export function anchored(written: string, before: AnchoredFrame | 'none'): AnchoredFrame {
  const erased = frameErased.exec(written);
  if (erased === null) return isWithin(written, before) ? within(written, before) : saving(written);
  // Text goes above the live region, which Ink has drawn just before it is erased.
  const drawnFirst = written.slice(0, erased.index);
  const kept = drawnFirst === '' || isWithin(drawnFirst, before) ? '' : drawnFirst;
  const after = written.slice(erased.index + erased[0].length);
  return saving(`${kept}\u001B[?25l${eraseLinesAbove(Number(erased[1]), mostOftenDrawn)}${after}`);
}

const within = (written: string, {rowsBelowCursor}: AnchoredFrame): AnchoredFrame => ({
  text: `\u001B[?7l${written}\u001B[?7h`,
  rowsBelowCursor,
});

function saving(written: string): AnchoredFrame {
  const end = frameEnd.exec(written);
  const at = end?.index ?? written.length;
  return {text: written.slice(0, at) + saveCursor + written.slice(at), rowsBelowCursor: Number(end?.[1] ?? 0)};
}

/** Whether a frame has as many rows as the one before it, above the cursor and below. */
function isWithin(frame: string, before: AnchoredFrame | 'none'): before is AnchoredFrame {
  if (before === 'none' || !isOnlyFrame(frame) || erases.test(frame)) return false;
  const end = frameEnd.exec(frame);
  const body = frame.slice(0, end?.index ?? frame.length);
  const down = body.split('\n').length - 1;
  const up = Array.from(body.matchAll(movesUp)).reduce((sum, [, rows]) => sum + Number(rows), 0);
  return down - up === before.rowsBelowCursor && Number(end?.[1] ?? 0) === before.rowsBelowCursor;
}

/* oxlint-disable no-control-regex -- sequences of the terminal */
const erases = /\u001B\[(?:J|2K)/u;
const movesUp = /\u001B\[(\d+)A/gu;
/** Those of the cursor belong to every frame. */
const switchesMode = /\u001B\[(?:[<>=]|\?(?!25[hl]))/u;
/* oxlint-enable no-control-regex */

/** No terminal is narrower: a line that was drawn in so many columns has at most as many rows as fit into them. */
const fewestColumns = 4;

/** Lines drawn in so many columns are found again by what goes with every text, which has to be short. */
const mostOftenDrawn = 24;

/** To the first cell of the line that the cursor is in. */
const lineStart = (drawnColumns: number): string => `\r${'\b\r'.repeat(Math.ceil(drawnColumns / fewestColumns))}`;

const reverseWrap = {on: '\u001B[?45h', off: '\u001B[?45l'} as const;

/** Erases from the line of the anchor on, so that nothing is left below the cursor, and asks where the cursor and the anchor were. */
export const cutAtAnchor = (anchor: 'saved' | 'none', drawnColumns: number): PositionQuery => ({
  text: whereIsCursor + (anchor === 'saved' ? restoreCursor : '') + whereIsCursor + eraseLinesAbove(0, drawnColumns),
  replies: 2,
});

/**
 * The rows from the cursor down to the anchor, by the replies to `cutAtAnchor`: as many as were drawn there but for those that the terminal
 * has dropped from its end. Without replies none is known to be there.
 */
export function rowsToAnchor(replies: readonly TerminalPosition[] | undefined): number {
  const [cursor, anchor] = replies ?? [];
  return cursor === undefined || anchor === undefined ? 0 : anchor.row - cursor.row;
}

/** After `cutAtAnchor`: erases so many lines above, and asks for the terminal's width and the row where the anchor is by now. */
export const eraseFromAnchor = (lines: number, drawnColumns: number): PositionQuery => ({
  text: toLastColumn + whereIsCursor + eraseLinesAbove(lines, drawnColumns),
  replies: 1,
});

/** Goes to the first cell of the line so many lines above, and erases from there on. */
const eraseLinesAbove = (lines: number, drawnColumns: number): string =>
  reverseWrap.on +
  lineStart(drawnColumns) +
  `\u001B[A${lineStart(drawnColumns)}`.repeat(lines) +
  eraseBelow +
  reverseWrap.off;

const eraseBelow = '\u001B[J';
