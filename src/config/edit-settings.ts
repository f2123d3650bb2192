import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Json} from '../base/json.ts';
import type {Fault} from '../domain/fault.ts';
import {changeFile} from './change-file.ts';
import {removeMember, setValue} from './edit-json.ts';
import {parseSettings, type SettingsFile} from './settings-file.ts';
import {namePath, type SettingName} from './setting-name.ts';

interface SettingPlace {
  readonly path: string;
  readonly name: SettingName;
}

/** Writes a value that fits into a settings file. All else in it stays as it is; a file that is broken is not touched. */
export const setSetting = ({path, name}: SettingPlace, value: Json): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeSettings(path, body => setValue(body.trim() === '' ? '{}\n' : body, namePath(name), value));

/** Takes a setting out of a settings file; `same` where it is not in it. */
export const unsetSetting = ({path, name}: SettingPlace): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeSettings(path, body => (body.trim() === '' ? body : removeMember(body, namePath(name))));

/** Changes the text of a settings file, a byte order mark apart; a file that is broken is not touched. */
export const changeSettings = (
  path: string,
  change: (body: string, settings: SettingsFile) => string,
): Promise<Outcome<'changed' | 'same', Fault>> =>
  changeFile(path, (text = '') => {
    const parsed = parseSettings({path, text});
    if (parsed.tag === 'failed') {
      return failed({...parsed.error, kind: 'needs-user', fix: 'Mend the file first; nothing was changed.'});
    }
    // A byte order mark is no JSON and stays where it is.
    const [, mark = '', body = ''] = /^(\u{feff}?)(.*)$/su.exec(text) ?? [];
    const changed = mark + change(body, parsed.value.settings);
    return ok(changed === '' ? undefined : changed);
  });
