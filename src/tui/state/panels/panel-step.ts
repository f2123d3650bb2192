import type {Effect} from '../effect.ts';
import {unreachable} from '../../../base/unreachable.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {type Picker, pressPicker} from './picker.ts';

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
