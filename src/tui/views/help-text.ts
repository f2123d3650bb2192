import type {CommandInfo} from '../input/commands.ts';

/** What `/help` prints. */
export const helpText = (commands: readonly CommandInfo[]): string =>
  [...commands.map(({usage, summary}) => `${usage.padEnd(16)} ${summary}`), '', ...keys].join('\n');

const keys = [
  'Enter sends; Ctrl+J, Alt+Enter or \\ and Enter begin a new line',
  'Up and Down go through earlier prompts',
  'Shift+Tab goes through the modes: asks first, accepts edits, plan only',
  'A question waits on one line until you pause; Tab goes to it, or back to what you write',
  'Esc stops what runs; what you sent in the meantime waits its turn',
  'Ctrl+C clears the draft or stops what runs; twice leaves, as does Ctrl+D on an empty draft',
];

/** What `/model` answers. */
export const modelText = (model: string): string =>
  `${model === '' ? 'No model is configured.' : `The model is ${model}.`} /model NAME changes it.`;
