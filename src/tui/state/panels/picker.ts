import {fuzzyScorer, noFit} from '../../../base/fuzzy.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {deletedAtEnd} from '../../editor/draft.ts';
import type {Effect} from '../effect.ts';
import {unreachable} from '../../../base/unreachable.ts';

/** A list to choose one value from, as it is used by panels and cards. It knows nothing of how it is drawn. */
export interface Picker<Value> {
  readonly items: readonly PickerItem<Value>[];
  /** The items that have what was typed, the best first. */
  readonly matching: readonly PickerItem<Value>[];
  /** The selected item of `matching`; with `none` nothing is selected yet, and Enter chooses nothing. */
  readonly row: number | 'none';
  readonly search: Search;
  /** `loading` and `failed` say so in `text`; `ready` says `text` where there is no item. */
  readonly status: {readonly kind: 'loading' | 'failed' | 'ready'; readonly text: string};
}

/** `names` filters by letters in their order, `words` by words in any order; `off` leaves letters free for other meanings. */
type Search = {readonly by: 'names' | 'words'; readonly typed: string} | {readonly by: 'off'};

export interface PickerItem<Value> {
  readonly value: Value;
  readonly label: string;
  readonly details: readonly string[];
  /** A letter that chooses the item, where typing does not filter; empty for none. */
  readonly letter: string;
  readonly mark: 'current' | 'none';
  /** What typed words are looked for in, besides the label; in lower case. */
  readonly searched: string;
}

interface PickerOptions<Value> {
  readonly items: readonly PickerItem<Value>[];
  readonly search: 'names' | 'words' | 'off';
  readonly empty: string;
  /** Selects the current item, else the first one; or nothing. */
  readonly selected: 'current' | 'none';
}

export function openPicker<Value>({items, search, empty, selected}: PickerOptions<Value>): Picker<Value> {
  const current = items.findIndex(({mark}) => mark === 'current');
  return {
    items,
    matching: items,
    row: selected === 'none' ? 'none' : Math.max(0, current),
    search: search === 'off' ? {by: 'off'} : {by: search, typed: ''},
    status: {kind: 'ready', text: empty},
  };
}

export const plainItem = <Value>(value: Value, label: string): PickerItem<Value> => ({
  value,
  label,
  details: [],
  letter: '',
  mark: 'none',
  searched: '',
});

export const selectedValue = <Value>({matching, row}: Picker<Value>): Value | undefined =>
  row === 'none' ? undefined : matching[row]?.value;

export const typedIn = ({search}: Picker<unknown>): string => (search.by === 'off' ? '' : search.typed);

/** `unhandled`: the key means nothing to a list. */
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
      const text = deletedAtEnd(typedIn(picker), key.name);
      return text === undefined ? unhandled : narrowed(picker, text);
    }
  }
}

const unhandled = {kind: 'unhandled'} as const;

const select = <Value>(picker: Picker<Value>, row: number): PickerStep<Value> => ({
  kind: 'open',
  picker: {...picker, row: picker.matching.length === 0 ? 'none' : Math.max(0, row)},
});

/** A digit chooses one of the first nine while nothing is typed; later it is part of what is looked for. */
function typed<Value>(picker: Picker<Value>, text: string): PickerStep<Value> {
  const before = typedIn(picker);
  const numbered = before === '' && /^[1-9]$/u.test(text) ? picker.matching[Number(text) - 1] : undefined;
  if (numbered !== undefined) return {kind: 'chosen', value: numbered.value};
  if (picker.search.by !== 'off') return narrowed(picker, (before + text.replaceAll(/\s+/gu, ' ')).trimStart());
  const lettered = picker.items.find(({letter}) => letter !== '' && letter === text);
  return lettered === undefined ? unhandled : {kind: 'chosen', value: lettered.value};
}

function narrowed<Value>(picker: Picker<Value>, text: string): PickerStep<Value> {
  const {search, items} = picker;
  if (search.by === 'off') return unhandled;
  // A longer text searches only what had the shorter one.
  const among = search.by === 'words' && text.startsWith(search.typed) ? picker.matching : items;
  const matching = text === '' ? items : search.by === 'words' ? withWords(among, text) : withLetters(items, text);
  const row = matching.length === 0 ? 'none' : 0;
  return {kind: 'open', picker: {...picker, matching, row, search: {...search, typed: text}}};
}

function withWords<Value>(items: readonly PickerItem<Value>[], text: string): readonly PickerItem<Value>[] {
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter(word => word !== '');
  return items.filter(({label, searched}) => {
    const lower = label.toLowerCase();
    return words.every(word => lower.includes(word) || searched.includes(word));
  });
}

function withLetters<Value>(items: readonly PickerItem<Value>[], text: string): readonly PickerItem<Value>[] {
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

/** A press in a panel that is a list: `chosen` says what follows a choice, Esc closes the panel. */
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

/** Whether the press answers a question of a panel with no. */
export const isCloseKey = (key: KeyPress): boolean =>
  key.kind === 'text' ? key.text === 'n' : key.kind === 'key' && (key.name === 'escape' || key.name === 'end-of-input');

/** Whether the press answers a question of a panel with yes. */
export const isYes = (key: KeyPress): boolean =>
  key.kind === 'text' ? key.text === 'y' : key.kind === 'key' && key.name === 'enter';
