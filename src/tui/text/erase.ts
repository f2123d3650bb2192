/** Erases from the cursor to the end of the screen (ED 0). */
const eraseBelow = '\u001B[J';

/**
 * `keeping`: an erasing that begins in the first cell of the screen is taken for a clearing of all of it, and moves what stood there
 * into the scrollback; of empty lines nothing is kept.
 */
export type Erasing = 'keeping' | 'plain';

/** By what a terminal answers to the question what it is (secondary device attributes): tmux and GNU screen. */
export const erasingOf = (attributes: string): Erasing =>
  ['83', '84'].includes(attributes.split(';')[0] ?? '') ? 'keeping' : 'plain';

/** The same output with every "erase below" done from the second cell on, behind an erasing of the line. */
export const erasingFromSecondCell = (output: string): string =>
  output.includes(eraseBelow) ? output.replaceAll(eraseBelow, `\u001B7\u001B[K\u001B[C${eraseBelow}\u001B8`) : output;
