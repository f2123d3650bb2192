import type {SlashCommand} from './command.ts';

export const clearCommand: SlashCommand = {
  name: 'clear',
  aliases: ['new'],
  usage: '/clear',
  summary: 'start a new session',
  run: (_, desk) => desk.submit({op: 'open-session', session: {kind: 'new'}}),
};
