import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {RuleList} from '../domain/risk.ts';
import {appendToList, removeFromList} from './edit-json.ts';
import {changeSettings} from './edit-settings.ts';
import type {SettingsFile} from './settings-file.ts';

/** One rule in one list of one settings file. */
export interface RulePlace {
  readonly path: string;
  readonly list: RuleList;
  readonly rule: string;
}

/** Adds a rule to a settings file; a rule that is there already is not added again. */
export const addRule = ({path, list, rule}: RulePlace): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeSettings(path, (body, settings) =>
    rulesIn(settings, list).some(isRule(rule))
      ? body
      : appendToList(body.trim() === '' ? '{}\n' : body, ['permissions', list], rule),
  );

/** Removes a rule from a settings file, as often as it is there; `same` where it is not. */
export const removeRule = ({path, list, rule}: RulePlace): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeSettings(path, (body, settings) =>
    rulesIn(settings, list).some(isRule(rule)) ? removeFromList(body, ['permissions', list], isRule(rule)) : body,
  );

const isRule =
  (rule: string) =>
  (text: string): boolean =>
    text.trim() === rule.trim();

const rulesIn = (settings: SettingsFile, list: RuleList): readonly string[] => settings.permissions?.[list] ?? [];
