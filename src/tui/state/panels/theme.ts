import {unreachable} from '../../../base/unreachable.ts';
import {type ThemeChoice, themeChoices} from '../../../domain/preferences.ts';
import {commandEffect} from '../effect.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {closePanel, type PanelStep} from './panel-step.ts';
import {openPicker, type Picker, plainItem, pressPicker, selectedValue} from './picker.ts';

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

export function pressTheme(panel: ThemePanel, key: KeyPress): PanelStep<ThemePanel> {
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
