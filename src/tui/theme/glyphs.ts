/** Every symbol on screen: one place, so that a card and a list never disagree about what a state looks like. */
export const glyphs = {
  prompt: '›',
  queued: '○',
  waiting: '?',
  running: '●',
  success: '✓',
  error: '✗',
  cancelled: '⊘',
  bullet: '•',
  branch: '└',
  quoteBar: '│',
  checkedBox: '[x]',
  emptyBox: '[ ]',
  pointer: '›',
  warning: '!',
} as const;
