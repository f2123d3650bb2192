/** A cursor position, counted from 1 as terminals do. */
export interface TerminalPosition {
  readonly row: number;
  readonly column: number;
}

/** A query for the cursor position, and the number of replies to it. */
export interface PositionQuery {
  readonly text: string;
  readonly replies: number;
}

/** Asks for the position of the cursor (CPR). */
export const cursorPositionQuery = '\u001B[6n';
export const moveToLastColumn = '\u001B[9999C';

/** Asks for the terminal's width and the cursor's row: moves the cursor to the far right, queries its position, and moves it back. */
export const extentQuery: PositionQuery = {text: `\u001B7${moveToLastColumn}${cursorPositionQuery}\u001B8`, replies: 1};

/** Matches a possible beginning of a reply at the end of the input. */
// oxlint-disable-next-line no-control-regex -- a sequence of the terminal
export const positionBeginning = /\u001B\[\d{1,4}(?:;\d{0,4})?$/u;

/** Matches a reply. Without a pending query, the same bytes are the key F3. */
// oxlint-disable-next-line no-control-regex -- a sequence of the terminal
export const positionReply = /\u001B\[(\d+);(\d+)R/u;

/**
 * The milliseconds to wait for replies. Until then the screen stays undrawn, so a terminal that has never answered gets little time.
 * A terminal that has answered before is only slow, and erasing for a wrong width would destroy scrollback lines.
 */
export const positionWaitMs = {silent: 300, answering: 2000} as const;
