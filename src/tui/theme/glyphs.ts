/**
 * Every symbol on screen: one place, so that a card and a list never disagree about what a state looks like. Those of the
 * first frame and of plain answers are ASCII on purpose: the first other character in the live region makes Ink's width
 * measurement compile its emoji tables, some 30 ms.
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
