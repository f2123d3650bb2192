/** As a terminal counts: from 1. */
export interface TerminalPosition {
  readonly row: number;
  readonly column: number;
}

/** What asks a terminal where its cursor is, so many times. */
export interface PositionQuery {
  readonly text: string;
  readonly replies: number;
}

/** Asks for the position of the cursor (CPR). */
export const whereIsCursor = '\u001B[6n';
export const toLastColumn = '\u001B[9999C';

/** Asks for the terminal's width and the row of the cursor: moves the cursor to the far right, asks for its position, and moves it back. */
export const extentQuery: PositionQuery = {text: `\u001B7${toLastColumn}${whereIsCursor}\u001B8`, replies: 1};

/** What may be the beginning of a reply. */
// oxlint-disable-next-line no-control-regex -- a sequence of the terminal
export const positionBeginning = /\u001B\[\d{1,4}(?:;\d{0,4})?$/u;

/** A reply; without a pending query the same bytes are the key F3. */
// oxlint-disable-next-line no-control-regex -- a sequence of the terminal
export const positionReply = /\u001B\[(\d+);(\d+)R/u;

/**
 * How long to wait for replies, in milliseconds. Without them the screen stays undrawn, so a terminal that has answered nothing
 * yet gets little time; one that has answered before is only slow, and erasing for a wrong width would destroy scrollback lines.
 */
export const positionWaitMs = {silent: 300, answering: 2000} as const;
