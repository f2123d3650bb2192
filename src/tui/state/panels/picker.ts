import {fuzzyScorer, noFit} from '../../../base/fuzzy.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {deletedAtEnd} from '../../editor/draft.ts';
import type {Effect} from '../effect.ts';
import {unreachable} from '../../../base/unreachable.ts';

/** A list to choose one value from, used by panels and cards. It is independent of how it is drawn. */
export interface Picker<Value> {
  readonly items: readonly PickerItem<Value>[];
  /** The items that match the filter text, best match first. */
  readonly matching: readonly PickerItem<Value>[];
  /** The index of the selected item in `matching`. With `none`, nothing is selected and Enter does nothing. */
  readonly row: number | 'none';
  readonly search: Search;
  /** `loading` and `failed` show `text`. `ready` shows `text` if there are no items. */
  readonly status: {readonly kind: 'loading' | 'failed' | 'ready'; readonly text: string};
}

/**
 * How typing filters the list: `names` matches letters in order, `words` matches words in any order. `off` leaves letters free
 * as shortcuts.
 */
type Search = {readonly by: 'names' | 'words'; readonly typeText: string} | {readonly by: 'off'};

export interface PickerItem<Value> {
  readonly value: Value;
  readonly label: string;
  readonly details: readonly string[];
  /** A letter that chooses the item if typing doesn't filter. Empty if there is none. */
  readonly letter: string;
  readonly mark: 'current' | 'none';
  /** Text that is searched in addition to the label, in lower case. */
  readonly searchText: string;
}

interface PickerOptions<Value> {
  readonly items: readonly PickerItem<Value>[];
  readonly search: 'names' | 'words' | 'off';
  readonly empty: string;
  /** `current` selects the current item, or the first one if there is none. */
  readonly selected: 'current' | 'none';
}

export function openPicker<Value>({items, search, empty, selected}: PickerOptions<Value>): Picker<Value> {
  const current = items.findIndex(({mark}) => mark === 'current');
  return {
    items,
    matching: items,
    row: selected === 'none' ? 'none' : Math.max(0, current),
    search: search === 'off' ? {by: 'off'} : {by: search, typeText: ''},
    status: {kind: 'ready', text: empty},
  };
}

/** Replaces the items. The filter text and the selected value stay. */
export function withItems<Value>(picker: Picker<Value>, items: readonly PickerItem<Value>[]): Picker<Value> {
  const {search} = picker;
  const matching = search.by === 'off' ? items : matchingItems(items, search);
  const selected = selectedValue(picker);
  const row = matching.findIndex(({value}) => value === selected);
  return {...picker, items, matching, row: row >= 0 ? row : matching.length === 0 ? 'none' : 0};
}

export const plainItem = <Value>(value: Value, label: string): PickerItem<Value> => ({
  value,
  label,
  details: [],
  letter: '',
  mark: 'none',
  searchText: '',
});

export const selectedValue = <Value>({matching, row}: Picker<Value>): Value | undefined =>
  row === 'none' ? undefined : matching[row]?.value;

export const filterTextOf = ({search}: Picker<unknown>): string => (search.by === 'off' ? '' : search.typeText);

/** The result of a press. `unhandled`: the list doesn't use the key. */
export type PickerStep<Value> =
  | {readonly kind: 'open'; readonly picker: Picker<Value>}
  | {readonly kind: 'chosen'; readonly value: Value}
  | {readonly kind: 'cancelled'}
  | {readonly kind: 'unhandled'};

const pageRows = 10;

export function pressPicker<Value>(picker: Picker<Value>, key: KeyPress): PickerStep<Value> {
  if (key.kind === 'text') return typed(picker, key.text);
  if (key.kind === 'paste') return picker.search.by === 'off' ? unhandled : typed(picker, key.text);
  const {matching} = picker;
  const at = picker.row === 'none' ? -1 : picker.row;
  const last = matching.length - 1;
  switch (key.name) {
    case 'escape':
    case 'end-of-input':
      return {kind: 'cancelled'};
    case 'enter': {
      const item = matching[at];
      return item === undefined ? {kind: 'open', picker} : {kind: 'chosen', value: item.value};
    }
    case 'up':
      return select(picker, at <= 0 ? last : at - 1);
    case 'down':
    case 'complete':
      return select(picker, at >= last ? 0 : at + 1);
    case 'page-up':
      return select(picker, Math.max(0, at - pageRows));
    case 'page-down':
      return select(picker, Math.min(last, at + pageRows));
    case 'top':
    case 'line-start':
      return select(picker, 0);
    case 'bottom':
    case 'line-end':
      return select(picker, last);
    default: {
      const text = deletedAtEnd(filterTextOf(picker), key.name);
      return text === undefined ? unhandled : filterPicker(picker, text);
    }
  }
}

const unhandled = {kind: 'unhandled'} as const;

const select = <Value>(picker: Picker<Value>, row: number): PickerStep<Value> => ({
  kind: 'open',
  picker: {...picker, row: picker.matching.length === 0 ? 'none' : Math.max(0, row)},
});

/** Handles typed text. A digit chooses one of the first nine items if the filter is empty. Otherwise it is part of the filter. */
function typed<Value>(picker: Picker<Value>, text: string): PickerStep<Value> {
  const before = filterTextOf(picker);
  const numbered = before === '' && /^[1-9]$/u.test(text) ? picker.matching[Number(text) - 1] : undefined;
  if (numbered !== undefined) return {kind: 'chosen', value: numbered.value};
  if (picker.search.by !== 'off') return filterPicker(picker, (before + text.replaceAll(/\s+/gu, ' ')).trimStart());
  const lettered = picker.items.find(({letter}) => letter !== '' && letter === text);
  return lettered === undefined ? unhandled : {kind: 'chosen', value: lettered.value};
}

function filterPicker<Value>(picker: Picker<Value>, text: string): PickerStep<Value> {
  const {search, items} = picker;
  if (search.by === 'off') return unhandled;
  // A longer text can only match items that the shorter one matched.
  const among = search.by === 'words' && text.startsWith(search.typeText) ? picker.matching : items;
  const longer = {...search, typeText: text};
  const matching = matchingItems(among, longer);
  const row = matching.length === 0 ? 'none' : 0;
  return {kind: 'open', picker: {...picker, matching, row, search: longer}};
}

function matchingItems<Value>(
  items: readonly PickerItem<Value>[],
  {by, typeText}: Exclude<Search, {readonly by: 'off'}>,
): readonly PickerItem<Value>[] {
  if (typeText === '') return items;
  return by === 'words' ? filterByWords(items, typeText) : filterByLetters(items, typeText);
}

function filterByWords<Value>(items: readonly PickerItem<Value>[], text: string): readonly PickerItem<Value>[] {
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter(word => word !== '');
  return items.filter(({label, searchText}) => {
    const lower = label.toLowerCase();
    return words.every(word => lower.includes(word) || searchText.includes(word));
  });
}

function filterByLetters<Value>(items: readonly PickerItem<Value>[], text: string): readonly PickerItem<Value>[] {
  const scorer = fuzzyScorer(encoder.encode(text.trim().toLowerCase()));
  return items
    .map(item => {
      const bytes = encoder.encode(item.label);
      return {item, score: scorer(bytes, 0, bytes.length)};
    })
    .filter(({score}) => score !== noFit)
    .toSorted((a, b) => b.score - a.score)
    .map(({item}) => item);
}

const encoder = new TextEncoder();

export interface PanelStep<Panel> {
  readonly panel: Panel | 'none';
  readonly effects: readonly Effect[];
}

export const closePanel = (...effects: readonly Effect[]): PanelStep<never> => ({panel: 'none', effects});

/** Handles a press in a list panel. `chosen` returns the step after a choice. Esc closes the panel. */
export function pressList<Value, Panel extends object, Next>(
  panel: Panel & {readonly picker: Picker<Value>},
  key: KeyPress,
  chosen: (value: Value) => PanelStep<Next>,
): PanelStep<Panel | Next> {
  const step = pressPicker(panel.picker, key);
  switch (step.kind) {
    case 'open':
      return {panel: {...panel, picker: step.picker}, effects: []};
    case 'chosen':
      return chosen(step.value);
    case 'cancelled':
      return closePanel();
    case 'unhandled':
      return {panel, effects: []};
    default:
      return unreachable(step);
  }
}

/** True if the press answers a panel's question with no. */
export const isCloseKey = (key: KeyPress): boolean =>
  key.kind === 'text' ? key.text === 'n' : key.kind === 'key' && (key.name === 'escape' || key.name === 'end-of-input');

/** True if the press answers a panel's question with yes. */
export const isConfirmKey = (key: KeyPress): boolean =>
  key.kind === 'text' ? key.text === 'y' : key.kind === 'key' && key.name === 'enter';
