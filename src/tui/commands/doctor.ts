import type {SlashCommand} from './command.ts';

export const doctorCommand: SlashCommand = {
  name: 'doctor',
  aliases: [],
  usage: '/doctor',
  summary: 'what works on this machine',
  run: (_, desk) => void desk.options.outside.doctor().then(text => desk.tell('info', text)),
};
