import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import {changeFile} from './change-file.ts';
import {appendToList, removeFromList} from './edit-json.ts';
import {parseSettings, type RuleList, type SettingsFile} from './settings-file.ts';

/** One rule in one list of one settings file. */
export interface RulePlace {
  readonly path: string;
  readonly list: RuleList;
  readonly rule: string;
}

/**
 * Adds a rule to a settings file; a rule that is there already is not added again. All else in the file stays as it is; a file
 * that is broken is not touched.
 */
export const addRule = (place: RulePlace): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeFile(place.path, text => {
    const read = settingsIn(place.path, text);
    if (read.tag === 'failed') return read;
    if (rulesIn(read.value, place.list).some(isRule(place.rule))) return ok(text);
    const {mark, body} = withoutMark(text ?? '');
    return ok(mark + appendToList(body.trim() === '' ? '{}\n' : body, ['permissions', place.list], place.rule));
  });

/** Removes a rule from a settings file, as often as it is there; `same` where it is not. */
export const removeRule = (place: RulePlace): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeFile(place.path, text => {
    const read = settingsIn(place.path, text);
    if (read.tag === 'failed') return read;
    if (text === undefined || !rulesIn(read.value, place.list).some(isRule(place.rule))) return ok(text);
    const {mark, body} = withoutMark(text);
    return ok(mark + removeFromList(body, ['permissions', place.list], isRule(place.rule)));
  });

const isRule =
  (rule: string) =>
  (text: string): boolean =>
    text.trim() === rule.trim();

const rulesIn = (settings: SettingsFile, list: RuleList): readonly string[] => settings.permissions?.[list] ?? [];

function settingsIn(path: string, text: string | undefined): Outcome<SettingsFile, Fault> {
  const parsed = parseSettings({path, text: text ?? ''});
  if (parsed.tag === 'ok') return ok(parsed.value.settings);
  return failed({...parsed.error, kind: 'needs-user', fix: 'Mend the file first; nothing was changed.'});
}

/** A byte order mark is no JSON and stays where it is. */
const withoutMark = (text: string): {readonly mark: string; readonly body: string} =>
  text.startsWith('\u{feff}') ? {mark: '\u{feff}', body: text.slice(1)} : {mark: '', body: text};
