import type {KeyPress} from '../../terminal/keymap.ts';
import {closePanel, type PanelStep, pressList} from './panel-step.ts';
import {openPicker, type Picker, plainItem, pressPicker} from './picker.ts';

/** Earlier prompts, the latest first and without duplicates. */
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
export function pressHistory(panel: HistoryPanel, key: KeyPress): PanelStep<HistoryPanel> {
  const isAgain = key.kind === 'key' && key.name === 'search-history';
  return pressList(panel, isAgain ? {kind: 'key', name: 'down'} : key, text => closePanel({do: 'write', text}));
}
