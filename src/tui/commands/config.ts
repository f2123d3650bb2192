import {type SettingRow, answerOutcome} from '../../agent/client.ts';
import {type Choice, choicePanel, type ChoicePanel, doing, themeMeanings, themePanel} from '../state/panels/panel.ts';
import {commandEffect} from '../state/effect.ts';
import type {View} from '../state/view.ts';
import {type CommandContext, openList, slashCommand, nameHint} from './command.ts';
import {faultText} from '../../domain/fault.ts';
import {themeChoices, verbosities, type Verbosity} from '../../domain/preferences.ts';

export const configCommand = slashCommand({
  name: 'config',
  aliases: ['settings'],
  usage: '/config [name [value]]',
  summary: 'show and change settings',
  choices: 'settings',
  run: (argument, context) => void configure(argument, context),
});

const title = 'Settings';

async function configure(argument: string, context: CommandContext): Promise<void> {
  const [, name = '', value = ''] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  if (name === '') {
    openList(
      {title, loading: 'Reading the settings …', request: {query: 'setting-rows'}},
      rows => settingsPanel(rows, context.view),
      context,
    );
    return;
  }
  if (value !== '') {
    const done = await context.answerTo({query: 'change-setting', name, value});
    if (done !== undefined) context.notify('info', [...done, 'It counts from the next start of weft'].join('\n'));
    return;
  }
  const lines = await context.answerTo({query: 'settings', name});
  if (lines === undefined) return;
  const rows = await context.answerTo({query: 'setting-rows'});
  const row = rows?.find(each => each.name === name);
  if (row === undefined || row.choices.length === 0) {
    context.notify('info', [...lines, `/config ${name} VALUE writes your own setting`].join('\n'));
  } else context.open(valuePanel(row));
}

const settingsPanel = (rows: readonly SettingRow[], view: View): ChoicePanel =>
  choicePanel({
    title,
    does: 'change',
    empty: 'No settings',
    rows: rows.map(row => ({
      label: row.name,
      details: row.value === '' ? ['not set', inUse(row, view)] : [row.value, row.source],
      mark: 'none',
      choice: choiceOf(row),
    })),
  });

/** What counts where nobody has set it, as far as the conversation says; empty where it does not. */
function inUse({name}: SettingRow, {model, session}: View): string {
  const value = name === 'model' ? model : name === 'provider' && session.tag === 'open' ? session.info.provider : '';
  return value === '' ? '' : `in use: ${value}`;
}

/** A setting with a few values shows them; any other is written in the composer. */
const choiceOf = (row: SettingRow): Choice =>
  row.choices.length === 0 ? doing({do: 'write', text: `/config ${row.name} `}) : {effects: [], next: valuePanel(row)};

const valuePanel = ({name, value, choices}: SettingRow): ChoicePanel =>
  choicePanel({
    title: name,
    does: 'write to your settings',
    rows: choices.map(choice => ({
      label: choice,
      details: [],
      mark: choice === value ? 'current' : 'none',
      // The theme is seen at once; other settings count from the next start.
      choice: doing(name === 'theme' ? commandEffect('theme', choice) : commandEffect('config', `${name} ${choice}`)),
    })),
  });

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
