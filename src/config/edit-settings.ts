import {existsSync} from 'node:fs';
import type {Json} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {RuleList} from '../domain/risk.ts';
import {changeFile} from './change-file.ts';
import {appendToList, removeFromList, removeMember, setValue} from './edit-json.ts';
import {namePath, parseSettings, type SettingName, type SettingsFile} from './settings-schema.ts';

/** The location of the settings' JSON Schema, relative to the built program in `dist/chunks`. The sources have no schema file. */
const schema = new URL('../settings.schema.json', import.meta.url);

/**
 * Returns the text of a new settings file. The file names the schema for editors, unless other people share the file,
 * whose weft is installed elsewhere.
 */
const newFile = (path: string): string =>
  /[/\\]\.weft[/\\]settings\.json$/u.test(path) || !existsSync(schema)
    ? '{}\n'
    : `${JSON.stringify({$schema: schema.href}, undefined, 2)}\n`;

interface SettingPlace {
  readonly path: string;
  readonly name: SettingName;
}

/** Writes a valid value into a settings file and leaves everything else in the file unchanged. Does not change a broken file. */
export const setSetting = ({path, name}: SettingPlace, value: Json): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeSettings(path, body => setValue(body.trim() === '' ? newFile(path) : body, namePath(name), value));

/** Writes one fact about a model into a settings file, or removes it. */
export const changeModelFact = (
  {path, model, fact}: {readonly path: string; readonly model: string; readonly fact: string},
  value: Json | undefined,
): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeSettings(path, body => {
    const place = ['models', model, fact] as const;
    if (value !== undefined) return setValue(body.trim() === '' ? newFile(path) : body, place, value);
    return body.trim() === '' ? body : removeMember(body, place);
  });

/** Removes a setting from a settings file. Returns `same` if the file does not contain it. */
export const unsetSetting = ({path, name}: SettingPlace): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeSettings(path, body => (body.trim() === '' ? body : removeMember(body, namePath(name))));

/** Changes the text of a settings file and keeps its byte order mark. Does not change a broken file. */
const changeSettings = (
  path: string,
  change: (body: string, settings: SettingsFile) => string,
): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeFile(path, (text = '') => {
    const parsed = parseSettings({path, text});
    if (parsed.tag === 'failed') {
      return failed({...parsed.error, kind: 'needs-user', fix: 'Fix the file first; nothing was changed.'});
    }
    // A byte order mark isn't JSON, so put it back before the changed text.
    const [, mark = '', body = ''] = /^(\u{feff}?)(.*)$/su.exec(text) ?? [];
    const changed = mark + change(body, parsed.value.settings);
    return ok(changed === '' ? undefined : changed);
  });

interface RulePlace {
  readonly path: string;
  readonly list: RuleList;
  readonly rule: string;
}

/** Adds a rule to a settings file, unless the file contains it already. */
export const addRule = ({path, list, rule}: RulePlace): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeSettings(path, (body, settings) =>
    rulesIn(settings, list).some(isRule(rule))
      ? body
      : appendToList(body.trim() === '' ? newFile(path) : body, ['permissions', list], rule),
  );

/** Removes every occurrence of a rule from a settings file. Returns `same` if there is none. */
export const removeRule = ({path, list, rule}: RulePlace): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeSettings(path, (body, settings) =>
    rulesIn(settings, list).some(isRule(rule)) ? removeFromList(body, ['permissions', list], isRule(rule)) : body,
  );

const isRule =
  (rule: string) =>
  (text: string): boolean =>
    text.trim() === rule.trim();

const rulesIn = (settings: SettingsFile, list: RuleList): readonly string[] => settings.permissions?.[list] ?? [];
