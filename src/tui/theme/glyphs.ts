/**
 * Every symbol on screen: one place, so that a card and a list never disagree about what a state looks like. Those of the
 * first frame and of plain answers are ASCII on purpose: the first other character in the live region has the width
 * of characters looked up, whose tables take some 30 ms to compile.
 */
export const glyphs = {
  prompt: '>',
  queued: '○',
  waiting: '?',
  running: '●',
  success: '✓',
  error: '✗',
  cancelled: '⊘',
  bullet: '-',
  /** Stands between the facts of one line. */
  between: ' | ',
  branch: '└',
  quoteBar: '│',
  checkedBox: '[x]',
  emptyBox: '[ ]',
  pointer: '>',
  warning: '!',
} as const;
