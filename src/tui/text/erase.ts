/** Erases from the cursor to the end of the screen (ED 0). */
const eraseBelow = '\u001B[J';

/**
 * The same output with every "erase below" done line by line first. tmux takes that sequence, sent from the first row, for the
 * clearing of the whole screen and moves what stood there into the scrollback; of empty lines it keeps nothing. The cursor is
 * saved and restored around it, since moving down stops at the last of the screen's `rows`.
 */
export const erasingByLine = (output: string, rows: number): string =>
  output.includes(eraseBelow)
    ? output.replaceAll(eraseBelow, `\u001B7${'\u001B[2K\u001B[B'.repeat(rows)}\u001B8${eraseBelow}`)
    : output;
