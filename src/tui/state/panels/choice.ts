import type {KeyPress} from '../../terminal/keymap.ts';
import type {Effect} from '../effect.ts';
import type {AgentPanel} from './agent.ts';
import type {ConfirmPanel} from './confirm.ts';
import {type PanelStep, pressList} from './panel-step.ts';
import {openPicker, type Picker, plainItem} from './picker.ts';

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

export function pressChoice(panel: ChoicePanel, key: KeyPress): PanelStep<ChoicePanel | ConfirmPanel | AgentPanel> {
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
