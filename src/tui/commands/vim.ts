import type {SlashCommand} from './command.ts';

export const vimCommand: SlashCommand = {
  name: 'vim',
  aliases: [],
  usage: '/vim',
  summary: "switch vim's keys on or off",
  run: (_, desk) =>
    desk.tell(
      'info',
      desk.switchVim() === 'on'
        ? 'The composer has vim\'s keys: Esc leads to normal mode. /vim takes them away; "editorMode": "vim" in the settings keeps them.'
        : 'The composer has its plain keys again.',
    ),
};
