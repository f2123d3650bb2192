import type {KeyPress} from '../../terminal/keymap.ts';
import type {Effect} from '../effect.ts';
import type {ConfirmPanel} from './confirm.ts';
import {type PanelStep, pressList} from './panel-step.ts';
import {openPicker, type Picker} from './picker.ts';

/** A list of things to choose from, each with what it does. */
export interface ChoicePanel {
  readonly panel: 'choice';
  readonly title: string;
  /** At the right of the title; empty for none. */
  readonly note: string;
  /** What Enter does, as a key hint: `use`. */
  readonly does: string;
  readonly picker: Picker<Choice>;
}

export interface Choice {
  readonly effects: readonly Effect[];
  /** What opens then. */
  readonly next: ChoicePanel | ConfirmPanel | 'none';
}

/** A row of such a list. */
export interface ChoiceRow {
  readonly label: string;
  readonly details: readonly string[];
  readonly mark: 'current' | 'none';
  readonly choice: Choice;
}

export const choicePanel = ({
  rows,
  empty,
  ...panel
}: Omit<ChoicePanel, 'panel' | 'picker'> & {
  readonly rows: readonly ChoiceRow[];
  readonly empty: string;
}): ChoicePanel => ({
  panel: 'choice',
  ...panel,
  picker: openPicker({
    items: rows.map(({label, details, mark, choice}) => ({
      value: choice,
      label,
      details,
      mark,
      letter: '',
      searched: '',
    })),
    search: 'names',
    empty,
    selected: 'current',
  }),
});

/** The panel while its rows are being read, or why they could not be read. */
export const choicesMissing = (title: string, kind: 'loading' | 'failed', text: string): ChoicePanel => ({
  panel: 'choice',
  title,
  note: '',
  does: 'select',
  picker: {items: [], matching: [], row: 'none', search: {by: 'off'}, status: {kind, text}},
});

export const pressChoice = (panel: ChoicePanel, key: KeyPress): PanelStep<ChoicePanel | ConfirmPanel> =>
  pressList(panel, key, ({effects, next}) => ({panel: next, effects}));
