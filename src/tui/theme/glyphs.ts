/**
 * Every symbol on screen, so that a state looks the same everywhere. Each takes one cell and matches
 * `plainTextPattern` of `text/grapheme-segmenter.ts`. The width of any other character is looked up in tables that take 20 ms to compile.
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
  /** Before a prompt from the user. */
  userBar: '▌',
  agentBullet: '●',
  bar: '│',
  barGap: '⋮',
  barEnd: '╰',
  added: '+',
  /** Plain ASCII, so that a diff copied from the terminal is valid. */
  removed: '-',
  rule: '──',
  /** Between the facts on one line. */
  separator: ' · ',
  gitBranch: '⎇',
  /** Before a queued prompt. */
  queuedPrompt: '↳',
  upArrow: '↑',
  downArrow: '↓',
  barDone: '█',
  barOpen: '░',
  quoteBar: '│',
  checkedBox: '[x]',
  emptyBox: '[ ]',
  pointer: '❯',
  warning: '!',
  secret: '•',
  /** Ends a line that breaks inside a word. */
  brokenWord: '↩',
} as const;

/** The frames of the spinner that turns while the agent works. */
export const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
