import {answerOutcome} from '../../agent/client.ts';
import {faultText} from '../../domain/fault.ts';
import {themeChoices} from '../../domain/preferences.ts';
import {type CommandContext, nameHint, slashCommand} from './command.ts';
import {themeMeanings, themePanel} from '../state/panels/panel.ts';

export const themeCommand = slashCommand({
  name: 'theme',
  usage: '/theme [name]',
  summary: 'choose the colours, with a preview',
  choices: themeChoices.map(value => ({value, summary: themeMeanings[value]})),
  run(argument, context) {
    const {choice} = context.appearance;
    const word = argument.toLowerCase();
    const theme = themeChoices.find(name => name === word);
    if (choice === 'none') context.notify('info', 'No colours here: NO_COLOR, --no-color or the terminal says so');
    else if (word === '') context.open(themePanel(choice));
    else if (theme === undefined) {
      const hint = nameHint(word, themeChoices, 'The themes are');
      context.notify('warning', `There is no theme ${argument}. ${hint}`);
    } else {
      context.appearance.choose(theme);
      void keep(theme, context);
    }
  },
});

async function keep(theme: string, context: CommandContext): Promise<void> {
  const request = {query: 'change-setting', name: 'theme', value: theme} as const;
  const kept = answerOutcome(await context.options.engine.query(request, context.signal));
  if (kept.tag === 'ok') context.notify('info', `Theme: ${theme}, kept in your settings`);
  else context.notify('warning', `Theme: ${theme}, until weft ends. ${faultText(kept.error)}`);
}
