import {nearestName} from '../../base/nearest-name.ts';
import {unreachable} from '../../base/unreachable.ts';
import {verbosities, type Verbosity} from '../../domain/preferences.ts';
import type {SlashCommand} from './command.ts';

/** `next` selects the next verbosity, as Alt+O does. */
export const verbosityCommand: SlashCommand = {
  name: 'verbosity',
  aliases: [],
  usage: '/verbosity [name]',
  summary: 'choose how much finished actions show (Alt+O)',
  choices: verbosities.map(value => ({value, summary: meaning(value)})),
  run(word, context) {
    const {appearance} = context;
    const now = appearance.verbosity;
    const next = verbosities[(verbosities.indexOf(now) + 1) % verbosities.length] ?? 'summary';
    const wanted = word === 'next' ? next : verbosities.find(name => name === word.toLowerCase());
    if (word === '')
      context.notify(
        'info',
        `Finished actions show ${meaning(now)} (${now}). /verbosity NAME changes it: ${verbosities.join(', ')}.`,
      );
    else if (wanted === undefined) context.notify('warning', `There is no verbosity ${word}. ${hint(word)}`);
    else {
      appearance.verbosity = wanted;
      context.notify('info', `Finished actions show ${meaning(wanted)}. /config verbosity ${wanted} keeps it`);
    }
  },
};

function hint(word: string): string {
  const near = nearestName(word.toLowerCase(), verbosities);
  return near === undefined ? `It is one of ${verbosities.join(', ')}.` : `Did you mean ${near}?`;
}

function meaning(verbosity: Verbosity): string {
  switch (verbosity) {
    case 'name':
      return 'only what they were';
    case 'summary':
      return 'a few lines';
    case 'full':
      return 'everything';
    default:
      return unreachable(verbosity);
  }
}
