import {nearestName} from '../../base/nearest-name.ts';
import {unreachable} from '../../base/unreachable.ts';
import {verbosities, type Verbosity} from '../../domain/preferences.ts';
import type {SlashCommand} from './command.ts';

/** `next` goes on to the next one, as its key does. */
export const verbosityCommand: SlashCommand = {
  name: 'verbosity',
  aliases: [],
  usage: '/verbosity [name]',
  summary: 'how much finished actions show: name, summary or full (Alt+O)',
  run(word, desk) {
    const {appearance} = desk;
    const now = appearance.verbosity;
    const next = verbosities[(verbosities.indexOf(now) + 1) % verbosities.length] ?? 'summary';
    const wanted = word === 'next' ? next : verbosities.find(name => name === word.toLowerCase());
    if (word === '')
      desk.tell(
        'info',
        `Finished actions show ${meaning(now)} (${now}). /verbosity NAME changes it: ${verbosities.join(', ')}.`,
      );
    else if (wanted === undefined) desk.tell('warning', `There is no verbosity ${word}. ${hint(word)}`);
    else {
      appearance.verbosity = wanted;
      desk.tell(
        'info',
        `Finished actions show ${meaning(wanted)} from now on. "verbosity": "${wanted}" in the settings keeps it.`,
      );
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
