import {pluralize} from '../../../base/clip.ts';
import {unreachable} from '../../../base/unreachable.ts';
import {visibleExactLine, visibleLine} from '../../../base/visible.ts';
import {type ThemeChoice, themeChoices} from '../../../domain/preferences.ts';
import {runningText, sessionTitle} from '../../../domain/session-list.ts';
import type {AgentRow} from '../../../domain/sub-agent.ts';
import type {TuiOptions} from '../../options.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {commandEffect, type Effect, type PressContext} from '../effect.ts';
import {isIdle} from '../selectors.ts';
import type {View} from '../view.ts';
import {type BlocksPanel, pressBlocks} from './blocks.ts';
import {type CompactPanel, pressCompact} from './compact.ts';
import {type ConnectPanel, pressConnect} from './connect.ts';
import {
  closePanel,
  isCloseKey,
  isYes,
  type PanelStep,
  pressList,
  openPicker,
  type Picker,
  plainItem,
  pressPicker,
  selectedValue,
} from './picker.ts';
import {pressRewind, type RewindPanel} from './rewind.ts';
import {pressSessions, type SessionsPanel} from './sessions.ts';

/** What replaces the composer, and gets all keys but the interrupt key until it is closed. */
export type Panel =
  | SessionsPanel
  | RewindPanel
  | CompactPanel
  | HistoryPanel
  | BlocksPanel
  | ThemePanel
  | ConfirmPanel
  | ConnectPanel
  | ChoicePanel
  | AgentPanel;

export function pressPanel(
  panel: Panel,
  key: KeyPress,
  {batchPosition, blocks}: Pick<PressContext, 'batchPosition' | 'blocks'>,
): PanelStep<Panel> {
  switch (panel.panel) {
    case 'sessions':
      return pressSessions(panel, key);
    case 'rewind':
      return pressRewind(panel, key, batchPosition);
    case 'compact':
      return pressCompact(panel, key, batchPosition);
    case 'history':
      return pressHistory(panel, key);
    case 'blocks':
      return pressBlocks(panel, key, blocks);
    case 'theme':
      return pressTheme(panel, key);
    case 'choice':
      return pressChoice(panel, key);
    case 'agent':
      return pressAgent(panel, key);
    case 'confirm':
      return pressConfirm(panel, key, batchPosition);
    case 'connect':
      return pressConnect(panel, key);
    default:
      return unreachable(panel);
  }
}

export interface ChoicePanel {
  readonly panel: 'choice';
  readonly title: string;
  /** At the right of the title; empty for none. */
  readonly note: string;
  /** What Enter does, as a key hint: `use`. */
  readonly does: string;
  /** What Left and Right change in a row, as a key hint: `effort`; empty for nothing. */
  readonly turns: string;
  readonly picker: Picker<Variants>;
}

export interface Choice {
  readonly effects: readonly Effect[];
  readonly next: ChoicePanel | ConfirmPanel | AgentPanel | 'none';
}

/** A choice that has these effects and closes the list. */
export const doing = (...effects: readonly Effect[]): Choice => ({effects, next: 'none'});

interface ChoiceVariant {
  readonly details: readonly string[];
  readonly choice: Choice;
}

/** The forms of a row, through which Left and Right go; most rows have one. */
interface Variants {
  readonly all: readonly ChoiceVariant[];
  readonly at: number;
}

export type ChoiceRow = (ChoiceVariant | Variants) & {
  readonly label: string;
  readonly mark: 'current' | 'none';
};

export function choicePanel({
  rows,
  note = '',
  empty = '',
  ...panel
}: Pick<ChoicePanel, 'title' | 'does'> & {
  readonly rows: readonly ChoiceRow[];
  readonly note?: string;
  readonly empty?: string;
}): ChoicePanel {
  const items = rows.map(row => {
    const value = 'all' in row ? row : {all: [row], at: 0};
    return {...plainItem(value, row.label), details: detailsOf(value), mark: row.mark};
  });
  return {
    panel: 'choice',
    ...panel,
    note,
    turns: '',
    picker: openPicker({items, search: 'names', empty, selected: 'current'}),
  };
}

const detailsOf = ({all, at}: Variants): readonly string[] => all[at]?.details ?? [];

/** The panel while its rows are being read, or why they could not be read. */
export const choicesMissing = (title: string, kind: 'loading' | 'failed', text: string): ChoicePanel => ({
  panel: 'choice',
  title,
  note: '',
  does: 'select',
  turns: '',
  picker: {items: [], matching: [], row: 'none', search: {by: 'off'}, status: {kind, text}},
});

function pressChoice(panel: ChoicePanel, key: KeyPress): PanelStep<ChoicePanel | ConfirmPanel | AgentPanel> {
  if (key.kind === 'key' && (key.name === 'left' || key.name === 'right')) {
    return {panel: turned(panel, key.name === 'left' ? -1 : 1), effects: []};
  }
  return pressList(panel, key, ({all, at}) => {
    const variant = all[at];
    return variant === undefined ? {panel, effects: []} : {panel: variant.choice.next, effects: variant.choice.effects};
  });
}

/** The selected row in its next form, or in the one before. */
function turned(panel: ChoicePanel, by: 1 | -1): ChoicePanel {
  const {picker} = panel;
  const old = picker.row === 'none' ? undefined : picker.matching[picker.row];
  if (old === undefined) return panel;
  const value = {...old.value, at: Math.max(0, Math.min(old.value.at + by, old.value.all.length - 1))};
  const item = {...old, value, details: detailsOf(value)};
  const exchange = (items: typeof picker.items): typeof picker.items => items.map(each => (each === old ? item : each));
  return {...panel, picker: {...picker, items: exchange(picker.items), matching: exchange(picker.matching)}};
}

/** One sub-agent: what it does now, and what the user can do about it. */
export interface AgentPanel {
  readonly panel: 'agent';
  /** As it was when the panel was opened. */
  readonly row: AgentRow;
  readonly picker: Picker<readonly Effect[]>;
}

/** `number` is the agent's in the list, from 1. */
export function agentPanel(row: AgentRow, number: number): AgentPanel {
  const {id, name} = row.agent;
  const doings: readonly (readonly [label: string, letter: string, effects: readonly Effect[]])[] = [
    ['Send it a message', 'm', [{do: 'write', text: `/agents tell ${number} `}]],
    [
      'Stop it',
      's',
      [
        {do: 'op', op: {op: 'stop-agent', id}},
        {do: 'notify', text: `Stopping ${visibleExactLine(name)}`},
      ],
    ],
    ['Print its task, and what it said', 'p', [commandEffect('agents', `show ${number}`)]],
  ];
  const items = doings.map(([label, letter, value]) => ({...plainItem(value, label), letter}));
  return {panel: 'agent', row, picker: openPicker({items, search: 'off', empty: '', selected: 'current'})};
}

const pressAgent = (panel: AgentPanel, key: KeyPress): PanelStep<AgentPanel> =>
  pressList(panel, key, effects => closePanel(...effects));

export interface HistoryPanel {
  readonly panel: 'history';
  readonly picker: Picker<string>;
}

/** Begins with what has been written already as the text to look for. */
export function historyPanel(prompts: readonly string[], draft: string): HistoryPanel {
  const items = [...new Set(prompts.toReversed())].map(prompt => plainItem(prompt, prompt));
  const picker = openPicker({items, search: 'words', empty: 'No earlier prompt', selected: 'current'});
  if (draft.trim() === '' || draft.includes('\n')) return {panel: 'history', picker};
  const searched = pressPicker(picker, {kind: 'paste', text: draft.trim(), part: 'first'});
  return {panel: 'history', picker: searched.kind === 'open' ? searched.picker : picker};
}

/** The key that opened the list selects the next older prompt. */
function pressHistory(panel: HistoryPanel, key: KeyPress): PanelStep<HistoryPanel> {
  const isAgain = key.kind === 'key' && key.name === 'search-history';
  return pressList(panel, isAgain ? {kind: 'key', name: 'down'} : key, text => closePanel({do: 'write', text}));
}

/** The themes. The selected one is applied to the whole screen at once; Enter keeps it. */
export interface ThemePanel {
  readonly panel: 'theme';
  readonly picker: Picker<ThemeChoice>;
  readonly before: ThemeChoice;
}

export const themePanel = (now: ThemeChoice): ThemePanel => ({
  panel: 'theme',
  before: now,
  picker: openPicker({
    items: themeChoices.map(theme => ({
      ...plainItem(theme, theme),
      details: [themeMeanings[theme]],
      mark: theme === now ? 'current' : 'none',
    })),
    search: 'names',
    empty: '',
    selected: 'current',
  }),
});

function pressTheme(panel: ThemePanel, key: KeyPress): PanelStep<ThemePanel> {
  const step = pressPicker(panel.picker, key);
  switch (step.kind) {
    case 'open': {
      const theme = selectedValue(step.picker) ?? panel.before;
      const isSame = theme === selectedValue(panel.picker);
      return {panel: {...panel, picker: step.picker}, effects: isSame ? [] : [{do: 'choose-theme', theme}]};
    }
    case 'chosen':
      return closePanel(commandEffect('theme', step.value));
    case 'cancelled':
      return closePanel({do: 'choose-theme', theme: panel.before});
    case 'unhandled':
      return {panel, effects: []};
    default:
      return unreachable(step);
  }
}

export const themeMeanings: Readonly<Record<ThemeChoice, string>> = {
  auto: "follows the terminal's background",
  dark: 'for dark backgrounds',
  light: 'for light backgrounds',
  ansi: "the terminal's own sixteen colours",
  plain: 'no colours',
};

/** A question that y answers with yes, and n or Esc with no. */
export interface ConfirmPanel {
  readonly panel: 'confirm';
  readonly title: string;
  readonly subject: string;
  /** What yes does, as a key hint: `overwrite`. */
  readonly does: string;
  readonly yes: Effect;
  readonly no: readonly Effect[];
  /** Whether Enter says yes, too: only where nothing that exists is lost. */
  readonly enter: 'yes' | 'nothing';
  readonly other: {readonly letter: string; readonly does: string; readonly effect: Effect} | 'none';
}

/** A question that only y answers with yes; without `no`, no does nothing. */
export const confirmPanel = (
  asked: Pick<ConfirmPanel, 'title' | 'subject' | 'does' | 'yes'> & {readonly no?: ConfirmPanel['no']},
): ConfirmPanel => ({panel: 'confirm', no: [], enter: 'nothing', other: 'none', ...asked});

/** Asks before a note is written: a line that begins with `#` may as well be the heading of a prompt. */
export const notePanel = (text: string, note: string, when: 'queued' | 'steering'): ConfirmPanel => ({
  ...confirmPanel({
    title: 'Add a note to AGENTS.md?',
    subject: note,
    does: 'add',
    yes: {do: 'compose', work: {kind: 'note', note}},
    no: [{do: 'write', text}],
  }),
  other: {letter: 'p', does: 'send as a prompt', effect: {do: 'compose', work: {kind: 'send', text, when}}},
});

/** Asks before weft ends with sessions in the background; `none` if no session ends with it. To leave again while it asks is a yes. */
export function quitPanel(
  {workAfter, ...options}: Pick<TuiOptions, 'workAfter' | 'runningSessions'>,
  {question, shown}: {readonly question: 'unasked' | 'asked'; readonly shown: View},
): ConfirmPanel | 'none' {
  const background = workAfter === 'stops' ? options.runningSessions() : [];
  if (background.length === 0 || question === 'asked') return 'none';
  const running = [
    ...(isIdle(shown) ? [] : [`This session: ${runningText.running}`]),
    ...background.map(({summary, state}) => `${visibleLine(sessionTitle(summary))}: ${runningText[state]}`),
  ];
  return confirmPanel({
    title: `Quit and stop ${pluralize(running.length, 'running session')}?`,
    subject: running.join('; '),
    does: 'stop and quit',
    yes: {do: 'quit'},
  });
}

/** A `following` press arrived in one chunk with earlier ones, and never confirms anything. */
function pressConfirm(
  panel: ConfirmPanel,
  key: KeyPress,
  batchPosition: 'first' | 'following',
): PanelStep<ConfirmPanel> {
  if (isCloseKey(key)) return closePanel(...panel.no);
  const {other} = panel;
  if (other !== 'none' && key.kind === 'text' && key.text === other.letter && batchPosition === 'first') {
    return closePanel(other.effect);
  }
  const isAnswer = isYes(key) && (panel.enter === 'yes' || key.kind === 'text');
  return isAnswer && batchPosition === 'first' ? closePanel(panel.yes) : {panel, effects: []};
}
