import {unreachable} from '../../base/unreachable.ts';
import {verbosities, type Verbosity} from '../views/verbosity.ts';
import type {SlashCommand} from './command.ts';

/** `next` goes on to the next one, as its key does. */
export const verbosityCommand: SlashCommand = {
  name: 'verbosity',
  aliases: [],
  usage: '/verbosity [name]',
  summary: 'how much finished actions show: name, summary or full (Alt+O)',
  run(word, {appearance, tell}) {
    const now = appearance.verbosity;
    const next = verbosities[(verbosities.indexOf(now) + 1) % verbosities.length] ?? 'summary';
    const wanted = word === 'next' ? next : verbosities.find(name => name === word.toLowerCase());
    if (word === '') tell('info', `Finished actions show ${meaning(now)} (${now}). /verbosity NAME changes it: ${verbosities.join(', ')}.`);
    else if (wanted === undefined) tell('warning', `There is no verbosity ${word}. It is one of ${verbosities.join(', ')}.`);
    else {
      appearance.verbosity = wanted;
      tell('info', `Finished actions show ${meaning(wanted)} from now on. "verbosity": "${wanted}" in the settings keeps it.`);
    }
  },
};

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
