import type {ChosenTheme} from '../options.ts';
import {inBrackets, keyHint} from '../terminal/keymap.ts';
import {type SettingRow, answerOutcome} from '../../agent/client.ts';
import {
  type Choice,
  choicePanel,
  type ChoicePanel,
  choiceOfEffects,
  themeDescriptions,
  themePanel,
} from '../state/panels/panel.ts';
import {commandEffect} from '../state/effect.ts';
import type {View} from '../state/view.ts';
import {type CommandContext, openList, slashCommand, nameHint} from './command.ts';
import {faultText} from '../../domain/fault.ts';
import {themeChoices, verbosities, type Verbosity} from '../../domain/preferences.ts';

export const configCommand = slashCommand({
  name: 'config',
  aliases: ['settings'],
  usage: '/config [name [value]]',
  summary: 'View and change settings',
  choices: 'settings',
  run: (argument, context) => void configure(argument, context),
});

const title = 'Settings';

async function configure(argument: string, context: CommandContext): Promise<void> {
  const [, name = '', value = ''] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  if (name === '') {
    openList(
      {title, loading: 'Loading settings…', request: {query: 'setting-rows'}},
      rows => settingsPanel(rows, context.view),
      context,
    );
    return;
  }
  if (value !== '') {
    const done = await context.runQuery({query: 'change-setting', name, value});
    if (done !== undefined) context.notify('info', [...done, 'Restart weft to apply'].join('\n'));
    return;
  }
  const lines = await context.runQuery({query: 'settings', name});
  if (lines === undefined) return;
  const rows = await context.runQuery({query: 'setting-rows'});
  const row = rows?.find(each => each.name === name);
  if (row === undefined || row.choices.length === 0) {
    context.notify('info', [...lines, `Change it: /config ${name} VALUE`].join('\n'));
  } else context.open(valuePanel(row));
}

const settingsPanel = (rows: readonly SettingRow[], view: View): ChoicePanel =>
  choicePanel({
    title,
    does: 'change',
    empty: 'No settings',
    rows: [...rows.filter(isEveryday), ...rows.filter(row => !isEveryday(row))].map(row => ({
      label: inWords(row.name),
      details: row.value === '' ? ['not set', valueInUse(row, view)] : [row.value, row.source],
      mark: 'none',
      choice: choiceOf(row),
    })),
  });

/** The settings that people change most. They come first in the list. */
const everyday: ReadonlySet<string> = new Set(
  'model effort permissionMode sandbox theme verbosity notify editorMode'.split(' '),
);

const isEveryday = ({name}: SettingRow): boolean => everyday.has(name);

/** Returns `Base URL` for `baseUrl`. */
const inWords = (name: string): string =>
  name
    .replaceAll(/[A-Z]/gu, letter => ` ${letter.toLowerCase()}`)
    .replaceAll(/\b(?:url|tui|mcp|api|ttl)\b/gu, word => word.toUpperCase())
    .replace(/^./u, letter => letter.toUpperCase());

/** Returns the value that an unset `model` or `provider` has in this session, as `uses …`. Empty if unknown. */
function valueInUse({name}: SettingRow, {model, session}: View): string {
  const value = name === 'model' ? model : name === 'provider' && session.tag === 'open' ? session.info.provider : '';
  return value === '' ? '' : `uses ${value}`;
}

/** Opens the list of values if the setting has one. Otherwise puts `/config NAME ` in the composer. */
const choiceOf = (row: SettingRow): Choice =>
  row.name === 'theme'
    ? choiceOfEffects(commandEffect('theme', ''))
    : row.choices.length === 0
      ? choiceOfEffects({do: 'write', text: `/config ${row.name} `})
      : {effects: [], next: valuePanel(row)};

const valuePanel = ({name, value, choices}: SettingRow): ChoicePanel =>
  choicePanel({
    title: inWords(name),
    does: 'save',
    rows: choices.map(choice => ({
      label: choice,
      details: [],
      mark: choice === value ? 'current' : 'none',
      // The theme applies at once; other settings apply at the next start.
      choice: choiceOfEffects(
        name === 'theme' ? commandEffect('theme', choice) : commandEffect('config', `${name} ${choice}`),
      ),
    })),
  });

export const themeCommand = slashCommand({
  name: 'theme',
  usage: '/theme [name]',
  summary: 'Choose colors, with a live preview',
  choices: themeChoices.map(value => ({value, summary: themeDescriptions[value]})),
  run(argument, context) {
    const {choice} = context.appearance;
    const word = argument.toLowerCase();
    const theme = themeChoices.find(name => name === word);
    if (choice === 'none')
      context.notify('info', 'Colors are off (NO_COLOR, --no-color, or a terminal without colors)');
    else if (theme === undefined) void chooseOwnTheme(argument, choice, context);
    else {
      context.appearance.choose(theme);
      void saveTheme(theme, '', context);
    }
  },
});

/** Chooses one of the user's own themes, or lists all themes if no name is given. */
async function chooseOwnTheme(name: string, now: ChosenTheme, context: CommandContext): Promise<void> {
  const own = await context.options.loadThemes();
  if (context.signal.aborted) return;
  if (name === '') return context.open(themePanel(now, own));
  const found = own.find(each => each.name === name);
  if (found === undefined) {
    const names = [...themeChoices, ...own.map(each => each.name)];
    context.notify('warning', `Unknown theme ${name}. ${nameHint(name.toLowerCase(), names)}`);
  } else if (found.theme === 'none') context.notify('warning', found.about);
  else {
    context.appearance.choose(found.theme);
    await saveTheme(name, found.about, context);
  }
}

/** Saves the chosen theme. `about` is what the user should know of the theme; empty for nothing. */
async function saveTheme(theme: string, about: string, context: CommandContext): Promise<void> {
  const request = {query: 'change-setting', name: 'theme', value: theme} as const;
  const saved = answerOutcome(await context.options.engine.query(request, context.signal));
  if (saved.tag === 'ok') context.notify('info', `Theme: ${theme} (saved)${about === '' ? '' : `, ${about}`}`);
  else context.notify('warning', `Theme: ${theme}, for this session only. ${faultText(saved.error)}`);
}

const verbosityDescriptions: Readonly<Record<Verbosity, string>> = {
  name: 'Action names only',
  summary: 'A few lines of output',
  full: 'All output',
};

/** The `/verbosity` command. `next` selects the next verbosity, as Alt+O does. */
export const verbosityCommand = slashCommand({
  name: 'verbosity',
  usage: '/verbosity [name]',
  summary: `Choose how much output finished actions show${keyHint('next-verbosity', inBrackets)}`,
  choices: verbosities.map(value => ({value, summary: verbosityDescriptions[value]})),
  run(word, context) {
    const {appearance} = context;
    const now = appearance.verbosity;
    const next = verbosities[(verbosities.indexOf(now) + 1) % verbosities.length] ?? 'summary';
    const wanted = word === 'next' ? next : verbosities.find(name => name === word.toLowerCase());
    if (word === '')
      context.notify(
        'info',
        `Verbosity: ${now}. ${verbosityDescriptions[now]}. Change it: /verbosity ${verbosities.join(' | ')}`,
      );
    else if (wanted === undefined)
      context.notify('warning', `Unknown verbosity ${word}. ${nameHint(word.toLowerCase(), verbosities)}`);
    else {
      appearance.verbosity = wanted;
      context.notify(
        'info',
        `Verbosity: ${wanted}. ${verbosityDescriptions[wanted]}. Save as default: /config verbosity ${wanted}`,
      );
    }
  },
});
