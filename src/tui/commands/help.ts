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
  'Up and Down go through earlier prompts; while one waits, Up on an empty draft takes it back',
  '@ names a file or folder, whose content goes with the prompt: @src/a.ts:10-20, @"my file.txt"',
  '! runs a command of your own, whose output the agent sees; # remembers a note in AGENTS.md',
  'Ctrl+V pastes an image; the path of one, pasted or dragged in, does the same',
  'Shift+Tab goes through the modes: asks first, accepts edits, plan only',
  'A question waits on one line until you pause; Tab goes to it, or back to what you write',
  'While the agent works, Enter joins at its next step and Tab waits until it is done; Esc stops it',
  'Ctrl+C clears the draft or stops what runs; twice leaves, as does Ctrl+D on an empty draft',
];
