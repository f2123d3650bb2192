import type {ChosenTheme, UserTheme} from '../../options.ts';
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
  isConfirmKey,
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

/** A panel that replaces the composer. It takes all keys except the interrupt key until it closes. */
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
  /** A note at the right of the title. Empty if there is none. */
  readonly note: string;
  /** The verb for Enter in the key hint: `use`. */
  readonly does: string;
  /** The name of the property that Left and Right change in a row: `effort`. Empty if there is none. */
  readonly variantLabel: string;
  readonly picker: Picker<RowVariants>;
}

export interface Choice {
  readonly effects: readonly Effect[];
  readonly next: ChoicePanel | ConfirmPanel | AgentPanel | 'none';
}

/** Returns a choice that performs these effects and closes the list. */
export const choiceOfEffects = (...effects: readonly Effect[]): Choice => ({effects, next: 'none'});

interface ChoiceVariant {
  readonly details: readonly string[];
  readonly choice: Choice;
}

/** The variants of a row. Left and Right cycle through them. Most rows have only one. */
interface RowVariants {
  readonly all: readonly ChoiceVariant[];
  readonly at: number;
}

export type ChoiceRow = (ChoiceVariant | RowVariants) & {
  readonly label: string;
  readonly mark: 'current' | 'none';
};

export function choicePanel({
  rows,
  note = '',
  empty = '',
  selected,
  ...panel
}: Pick<ChoicePanel, 'title' | 'does'> & {
  readonly rows: readonly ChoiceRow[];
  readonly note?: string;
  readonly empty?: string;
  /** The index of the selected row. Without it, the current row or the first one is selected. */
  readonly selected?: number;
}): ChoicePanel {
  const items = rows.map(row => {
    const value = 'all' in row ? row : {all: [row], at: 0};
    return {...plainItem(value, row.label), details: detailsOf(value), mark: row.mark};
  });
  const picker = openPicker({items, search: 'names', empty, selected: 'current'});
  return {
    panel: 'choice',
    ...panel,
    note,
    variantLabel: '',
    picker: selected === undefined ? picker : {...picker, row: selected},
  };
}

const detailsOf = ({all, at}: RowVariants): readonly string[] => all[at]?.details ?? [];

/** Returns a panel without rows: they are still loading, or `text` says why they couldn't be loaded. */
export const placeholderPanel = (title: string, kind: 'loading' | 'failed', text: string): ChoicePanel => ({
  panel: 'choice',
  title,
  note: '',
  does: 'select',
  variantLabel: '',
  picker: {items: [], matching: [], row: 'none', search: {by: 'off'}, status: {kind, text}},
});

function pressChoice(panel: ChoicePanel, key: KeyPress): PanelStep<ChoicePanel | ConfirmPanel | AgentPanel> {
  if (key.kind === 'key' && (key.name === 'left' || key.name === 'right')) {
    return {panel: withNextVariant(panel, key.name === 'left' ? -1 : 1), effects: []};
  }
  return pressList(panel, key, ({all, at}) => {
    const variant = all[at];
    return variant === undefined ? {panel, effects: []} : {panel: variant.choice.next, effects: variant.choice.effects};
  });
}

/** Switches the selected row to its next or previous variant. */
function withNextVariant(panel: ChoicePanel, by: 1 | -1): ChoicePanel {
  const {picker} = panel;
  const old = picker.row === 'none' ? undefined : picker.matching[picker.row];
  if (old === undefined) return panel;
  const value = {...old.value, at: Math.max(0, Math.min(old.value.at + by, old.value.all.length - 1))};
  const item = {...old, value, details: detailsOf(value)};
  const exchange = (items: typeof picker.items): typeof picker.items => items.map(each => (each === old ? item : each));
  return {...panel, picker: {...picker, items: exchange(picker.items), matching: exchange(picker.matching)}};
}

/** The panel of one sub-agent: its current activity, and actions for the user. */
export interface AgentPanel {
  readonly panel: 'agent';
  /** The agent's state when the panel was opened. */
  readonly row: AgentRow;
  readonly picker: Picker<readonly Effect[]>;
}

/** Returns the panel of a sub-agent. `number` is its position in the list, from 1. */
export function agentPanel(row: AgentRow, number: number): AgentPanel {
  const {id, name} = row.agent;
  const actions: readonly (readonly [label: string, letter: string, effects: readonly Effect[]])[] = [
    ['Send a message', 'm', [{do: 'write', text: `/agents tell ${number} `}]],
    [
      'Stop',
      's',
      [
        {do: 'op', op: {op: 'stop-agent', id}},
        {do: 'notify', text: `Stopping ${visibleExactLine(name)}`},
      ],
    ],
    ['Print task and output', 'p', [commandEffect('agents', `show ${number}`)]],
  ];
  const items = actions.map(([label, letter, value]) => ({...plainItem(value, label), letter}));
  return {panel: 'agent', row, picker: openPicker({items, search: 'off', empty: '', selected: 'current'})};
}

const pressAgent = (panel: AgentPanel, key: KeyPress): PanelStep<AgentPanel> =>
  pressList(panel, key, effects => closePanel(...effects));

export interface HistoryPanel {
  readonly panel: 'history';
  readonly picker: Picker<string>;
}

/** Opens the prompt history. A draft becomes the search text. */
export function historyPanel(prompts: readonly string[], draft: string): HistoryPanel {
  const items = [...new Set(prompts.toReversed())].map(prompt => plainItem(prompt, prompt));
  const picker = openPicker({items, search: 'words', empty: 'No earlier prompts', selected: 'current'});
  if (draft.trim() === '' || draft.includes('\n')) return {panel: 'history', picker};
  const searched = pressPicker(picker, {kind: 'paste', text: draft.trim(), part: 'first'});
  return {panel: 'history', picker: searched.kind === 'open' ? searched.picker : picker};
}

/** Handles a press. The key that opened the list selects the next older prompt. */
function pressHistory(panel: HistoryPanel, key: KeyPress): PanelStep<HistoryPanel> {
  const isAgain = key.kind === 'key' && key.name === 'search-history';
  return pressList(panel, isAgain ? {kind: 'key', name: 'down'} : key, text => closePanel({do: 'write', text}));
}

/** The theme picker. The selected theme is applied to the whole screen at once. Enter saves it. */
export interface ThemePanel {
  readonly panel: 'theme';
  readonly picker: Picker<string>;
  readonly before: ChosenTheme;
  readonly own: readonly UserTheme[];
}

export const themePanel = (now: ChosenTheme, own: readonly UserTheme[]): ThemePanel => ({
  panel: 'theme',
  before: now,
  own,
  picker: openPicker({
    items: [
      ...themeChoices.map(name => ({name, about: themeDescriptions[name]})),
      ...own.map(({name, about}) => ({name, about: about === '' ? 'Yours' : about})),
    ].map(({name, about}) => ({
      ...plainItem(name, name),
      details: [about],
      mark: name === (typeof now === 'string' ? now : now.name) ? 'current' : 'none',
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
      const name = selectedValue(step.picker);
      const own = panel.own.find(each => each.name === name)?.theme;
      const theme = themeChoices.find(choice => choice === name) ?? (own === 'none' ? undefined : own) ?? panel.before;
      const isSame = name === selectedValue(panel.picker);
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

export const themeDescriptions: Readonly<Record<ThemeChoice, string>> = {
  auto: "Match the terminal's background",
  dark: 'For dark backgrounds',
  light: 'For light backgrounds',
  ansi: "The terminal's own 16 colors",
  plain: 'No colors',
};

/** A yes-or-no question. `y` means yes; `n` and Esc mean no. */
export interface ConfirmPanel {
  readonly panel: 'confirm';
  readonly title: string;
  readonly subject: string;
  /** The verb for the confirming key in the key hint: `overwrite`. */
  readonly does: string;
  readonly yes: Effect;
  readonly no: readonly Effect[];
  /** Whether Enter also means yes. Allowed only if the answer can't lose existing data. */
  readonly enter: 'yes' | 'nothing';
  /** `no-choice`: Enter was pressed, but only the letters answer. */
  readonly hint: 'none' | 'no-choice';
  readonly other: {readonly letter: string; readonly does: string; readonly effect: Effect} | 'none';
}

/** Returns a question in which only `y` means yes. `no` lists the effects of the answer no, and is empty by default. */
export const confirmPanel = (
  asked: Pick<ConfirmPanel, 'title' | 'subject' | 'does' | 'yes'> & {readonly no?: ConfirmPanel['no']},
): ConfirmPanel => ({panel: 'confirm', no: [], enter: 'nothing', hint: 'none', other: 'none', ...asked});

/** Asks before writing a note, because a line that starts with `#` may be the heading of a prompt. */
export const notePanel = (text: string, note: string, when: 'queued' | 'steering'): ConfirmPanel => ({
  ...confirmPanel({
    title: 'Add a note to AGENTS.md?',
    subject: note,
    does: 'add',
    yes: {do: 'compose', work: {kind: 'note', note}},
    no: [{do: 'write', text}],
  }),
  enter: 'yes',
  other: {letter: 'p', does: 'send as prompt', effect: {do: 'compose', work: {kind: 'send', text, when}}},
});

/** Asks before weft exits and ends background sessions. `none` if no session would end. Exiting again while the panel is open means yes. */
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

/** Handles a press. A `following` press arrived in the same chunk as earlier ones and never confirms anything. */
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
  if (!isConfirmKey(key) || batchPosition === 'following') return {panel, effects: []};
  if (panel.enter === 'yes' || key.kind === 'text') return closePanel(panel.yes);
  return {panel: {...panel, hint: 'no-choice'}, effects: []};
}
