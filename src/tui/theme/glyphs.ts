/**
 * Every symbol on screen: one place, so that a card and a list never disagree about what a state looks like. All of them take one
 * cell, and are among the characters that `text/grapheme-segmenter.ts` calls plain: other ones have their width looked up, in
 * tables that take 20 ms to compile.
 */
export const glyphs = {
  prompt: '›',
  queued: '○',
  waiting: '?',
  running: '●',
  success: '✓',
  error: '✗',
  cancelled: '⊘',
  bullet: '-',
  /** Before what the user said, and what the agent says. */
  userBar: '▌',
  said: '●',
  bar: '│',
  barGap: '⋮',
  barEnd: '╰',
  added: '+',
  /** Plain ASCII, so that a diff copied out of the terminal is one. */
  removed: '-',
  rule: '──',
  /** Stands between the facts of one line. */
  between: ' · ',
  gitBranch: '⎇',
  /** Before a prompt that waits. */
  waits: '↳',
  received: '↓',
  barDone: '█',
  barOpen: '░',
  quoteBar: '│',
  checkedBox: '[x]',
  emptyBox: '[ ]',
  pointer: '❯',
  warning: '!',
  secret: '•',
} as const;

/** What turns while the agent works. */
export const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
