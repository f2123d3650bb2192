import {readMode} from '../input/modes.ts';
import type {SlashCommand} from './command.ts';

export const modeCommand: SlashCommand = {
  name: 'mode',
  aliases: [],
  usage: '/mode [name]',
  summary: 'show or change what happens without asking (Shift+Tab)',
  run(word, desk) {
    const choice = readMode(word, desk.view.mode);
    if (choice.kind === 'mode') desk.submit({op: 'set-mode', mode: choice.mode});
    else desk.tell(choice.level, choice.text);
  },
};
