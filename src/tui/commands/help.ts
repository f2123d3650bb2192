import type {SlashCommand} from './command.ts';

export const helpCommand: SlashCommand = {
  name: 'help',
  aliases: [],
  usage: '/help',
  summary: 'commands and keys',
  run: (_, desk) => desk.tell('info', helpText(desk.commands)),
};

const helpText = (commands: readonly SlashCommand[]): string =>
  [...commands.map(({usage, summary}) => `${usage.padEnd(16)} ${summary}`), '', ...keys].join('\n');

const keys = [
  'Enter sends; Ctrl+J, Alt+Enter or \\ and Enter begin a new line',
  'Up and Down go through earlier prompts',
  'Shift+Tab goes through the modes: asks first, accepts edits, plan only',
  'A question waits on one line until you pause; Tab goes to it, or back to what you write',
  'Esc stops what runs; what you sent in the meantime waits its turn',
  'Ctrl+C clears the draft or stops what runs; twice leaves, as does Ctrl+D on an empty draft',
];
