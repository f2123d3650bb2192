import type {SlashCommand} from './command.ts';

export const demoCommand: SlashCommand = {
  name: 'demo',
  aliases: [],
  usage: '/demo',
  summary: 'watch the embedded recording do a small job',
  run: (_, desk) => desk.leave({kind: 'demo'}),
};
