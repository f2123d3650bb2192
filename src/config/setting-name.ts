import {failed, ok, type Outcome} from '../base/outcome.ts';
import {nearestName} from '../base/nearest-name.ts';
import {parseJson, type Json} from '../base/json.ts';
import {ruleLists} from '../domain/risk.ts';
import {expectedOf, parseSettings, settingKeys, type SettingKey} from './settings-file.ts';

/** A setting as people write it: `model`, or a part of one: `env.CI`, `permissions.allow`. */
export interface SettingName {
  readonly key: SettingKey;
  /** The name within it; empty for all of it. */
  readonly part: string;
}

export const nameText = ({key, part}: SettingName): string => (part === '' ? key : `${key}.${part}`);

/** The keys of a settings file that lead to it. */
export const namePath = ({key, part}: SettingName): readonly [string, ...string[]] =>
  part === '' ? [key] : [key, part];

/** A failure says what was wrong and what may have been meant. */
export function parseSettingName(text: string): Outcome<SettingName, string> {
  const [word = '', ...rest] = text.split('.');
  const key = settingKeys.find(known => known === word);
  if (key === undefined) {
    const near = nearestName(word, settingKeys);
    const hint = near === undefined ? `The settings are ${settingKeys.join(', ')}.` : `Did you mean ${near}?`;
    return failed(`${JSON.stringify(word)} is not a setting. ${hint}`);
  }
  const part = rest.join('.');
  if (rest.length === 0) return ok({key, part: ''});
  if (key === 'env' && /^[A-Za-z_][A-Za-z0-9_]*$/u.test(part)) return ok({key, part});
  if (key === 'permissions' && ruleLists.some(list => list === part)) return ok({key, part});
  const parts = key === 'env' ? 'the name of a variable' : key === 'permissions' ? ruleLists.join(', ') : 'none';
  return failed(`${key} has no part ${JSON.stringify(part)}. Its parts: ${parts}.`);
}

/** The value a text stands for: the text itself where the setting takes one, else the JSON that it is. */
export function parseSettingValue(name: SettingName, text: string): Outcome<Json, string> {
  const json = parseJson(text);
  const candidates: readonly Json[] = json.tag === 'ok' ? [text, json.value] : [text];
  const value = candidates.find(candidate => fits(name, candidate));
  const form =
    name.part === '' ? expectedOf(name.key) : name.key === 'env' ? 'text' : 'a list of rules, for example ["Read"]';
  return value === undefined
    ? failed(`${JSON.stringify(text)} does not fit; ${nameText(name)} must be ${form}`)
    : ok(value);
}

function fits({key, part}: SettingName, value: Json): boolean {
  const text = JSON.stringify({[key]: part === '' ? value : {[part]: value}});
  return parseSettings({path: '', text}).tag === 'ok';
}
