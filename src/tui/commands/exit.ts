import type {SlashCommand} from './command.ts';

export const exitCommand: SlashCommand = {
  name: 'exit',
  aliases: ['quit'],
  usage: '/exit',
  summary: 'leave',
  run: (_, desk) => desk.leave({kind: 'left'}),
};
