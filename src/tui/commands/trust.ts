import type {TrustPort} from '../options.ts';
import type {SlashCommand} from './command.ts';

export const trustCommand: SlashCommand = {
  name: 'trust',
  aliases: [],
  usage: '/trust [yes]',
  summary: "show what this folder's settings ask for, and allow it",
  run(word, desk) {
    const {trust} = desk.options;
    if (word.toLowerCase() === 'yes') void trust.accept().then(answer => desk.tell('info', answer));
    else desk.tell('info', trustText(trust));
  },
};

/** What would be granted, and how to grant it. */
const trustText = (trust: TrustPort): string =>
  trust.state === 'never' || trust.state === 'changed' ? `${trust.text()}\n/trust yes allows it.` : trust.text();
