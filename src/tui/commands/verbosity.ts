import {verbosities, type Verbosity} from '../../domain/preferences.ts';
import {nameHint, slashCommand} from './command.ts';

const meanings: Readonly<Record<Verbosity, string>> = {
  name: 'only what they were',
  summary: 'a few lines',
  full: 'everything',
};

/** `next` selects the next verbosity, as Alt+O does. */
export const verbosityCommand = slashCommand({
  name: 'verbosity',
  usage: '/verbosity [name]',
  summary: 'choose how much finished actions show (Alt+O)',
  choices: verbosities.map(value => ({value, summary: meanings[value]})),
  run(word, context) {
    const {appearance} = context;
    const now = appearance.verbosity;
    const next = verbosities[(verbosities.indexOf(now) + 1) % verbosities.length] ?? 'summary';
    const wanted = word === 'next' ? next : verbosities.find(name => name === word.toLowerCase());
    if (word === '')
      context.notify(
        'info',
        `Finished actions show ${meanings[now]} (${now}). /verbosity NAME changes it: ${verbosities.join(', ')}.`,
      );
    else if (wanted === undefined)
      context.notify(
        'warning',
        `There is no verbosity ${word}. ${nameHint(word.toLowerCase(), verbosities, 'It is one of')}`,
      );
    else {
      appearance.verbosity = wanted;
      context.notify('info', `Finished actions show ${meanings[wanted]}. /config verbosity ${wanted} keeps it`);
    }
  },
});
