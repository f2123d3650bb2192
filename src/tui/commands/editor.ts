import type {SlashCommand} from './command.ts';

export const editorCommand: SlashCommand = {
  name: 'editor',
  aliases: [],
  usage: '/editor',
  summary: 'write the prompt in your editor (Ctrl+G)',
  run: (_, desk) => desk.edit(),
};
