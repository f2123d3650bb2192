import {nearestName} from '../../base/nearest-name.ts';
import {themePanel} from '../panels/theme-panel.ts';
import {themeChoices} from '../../domain/preferences.ts';
import type {CommandDesk, SlashCommand} from './command.ts';

export const themeCommand: SlashCommand = {
  name: 'theme',
  aliases: [],
  usage: '/theme [name]',
  summary: 'choose the colours, with a look at each',
  run(argument, desk) {
    const {choice} = desk.appearance;
    const word = argument.toLowerCase();
    const theme = themeChoices.find(name => name === word);
    if (choice === 'none')
      desk.tell('info', 'There are no colours here: NO_COLOR, --no-color or the terminal says so.');
    else if (word === '') desk.open(themePanel(choice));
    else if (theme === undefined) {
      const near = nearestName(word, themeChoices);
      desk.tell(
        'warning',
        `There is no theme ${argument}. ${near === undefined ? `The themes are ${themeChoices.join(', ')}.` : `Did you mean ${near}?`}`,
      );
    } else {
      desk.appearance.choose(theme);
      void keep(theme, desk);
    }
  },
};

async function keep(theme: string, desk: CommandDesk): Promise<void> {
  const kept = await desk.options.outside.settings.set('theme', theme);
  if (kept.tag === 'ok') desk.tell('info', `The theme is ${theme}, kept in your settings.`);
  else desk.tell('warning', `The theme is ${theme} until weft ends. ${kept.error}`);
}
