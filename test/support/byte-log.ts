/* oxlint-disable no-control-regex -- sequences of the terminal */

/** What a program did to a terminal's scrollback, read from its bytes alone. */
export interface ByteLog {
  readonly clearedScreens: number;
  readonly clearedScrollbacks: number;
  /** Moves to a row counted from the top of the screen, or scrolling down: a program of the normal screen has no business there. */
  readonly absoluteMoves: number;
  /** How far above its lowest row the cursor ever was. */
  readonly highest: number;
  /** Updates begun and ended. */
  readonly updates: {readonly begun: number; readonly ended: number};
}

/** Lines must not wrap, as weft's do not. */
export function readByteLog(log: string): ByteLog {
  const count = (pattern: RegExp): number => log.match(pattern)?.length ?? 0;
  return {
    clearedScreens: count(/\u001B\[2J|\u001Bc/gu),
    clearedScrollbacks: count(/\u001B\[3J/gu),
    absoluteMoves: count(/\u001B\[[\d;]*[Hfd]|\u001BM|\u001B\[\d*T|\u001B\[\d*;\d*r/gu),
    highest: highestMove(log),
    updates: {begun: count(/\u001B\[\?2026h/gu), ended: count(/\u001B\[\?2026l/gu)},
  };
}

function highestMove(log: string): number {
  let row = 0;
  let lowest = 0;
  let highest = 0;
  let saved = 0;
  for (const [, motion, letter, single] of log.matchAll(/\u001B\[(\d*)([ABEF])|(\n|\u001B[78])/gu)) {
    if (single === '\u001B7') saved = row;
    else if (single === '\u001B8') row = saved;
    else if (single === '\n') row += 1;
    else {
      const by = Math.max(1, Number(motion));
      // Moving down stops at the last row; only a line feed makes a new one.
      row = letter === 'A' || letter === 'F' ? row - by : Math.min(lowest, row + by);
    }
    lowest = Math.max(lowest, row);
    highest = Math.max(highest, lowest - row);
  }
  return highest;
}
