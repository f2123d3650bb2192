import type {SettingRow} from '../../agent/client.ts';
import {type Choice, choicePanel, type ChoicePanel, doing} from '../state/panels/panel.ts';
import {commandEffect} from '../state/effect.ts';
import type {View} from '../state/view.ts';
import {type CommandContext, openList, slashCommand} from './command.ts';

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
