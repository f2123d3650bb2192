import {ok, type Outcome} from '../base/outcome.ts';
import type {Json} from '../base/json.ts';
import type {Fault} from '../domain/fault.ts';
import {parseSettings, settingKeys, type SettingsFile} from './settings-file.ts';
import {settingSources, type Settings, type SettingSource, type SettingsLayer} from './settings.ts';
import {nameText, type SettingName} from './setting-name.ts';

/** What one source says of a setting. */
export interface SaidValue {
  readonly name: string;
  readonly value: Json;
  readonly source: SettingSource;
  /** The file, or empty. */
  readonly path: string;
  /** `shadowed` by a stronger source; `left-out` because the source may not say it, the folder not being trusted mostly. */
  readonly state: 'counts' | 'shadowed' | 'left-out';
}

/**
 * What every source says of a setting, the strongest first. Lists and variables add up, so several sources may count; `settings`
 * are those the layers came to.
 */
export function explainSetting(
  name: SettingName,
  {layers, settings}: {readonly layers: readonly SettingsLayer[]; readonly settings: Settings},
): Outcome<readonly SaidValue[], Fault> {
  const counting = sourcesThatCount(name, settings);
  const strongest = Math.max(...[...counting].map(rankOf), -1);
  const said: SaidValue[] = [];
  for (const layer of layers.toSorted((a, b) => rankOf(b.source) - rankOf(a.source))) {
    const values = valuesOf(layer);
    if (values.tag === 'failed') return values;
    const value = partOf(values.value, name);
    if (value === undefined || isEmpty(value)) continue;
    const {source} = layer;
    const below = rankOf(source) < strongest ? 'shadowed' : 'left-out';
    const path = 'path' in layer ? layer.path : '';
    said.push({name: nameText(name), value, source, path, state: counting.has(source) ? 'counts' : below});
  }
  const fallback = counting.has('default') ? partOf(defaultsOf(settings), name) : undefined;
  if (fallback === undefined) return ok(said);
  return ok([...said, {name: nameText(name), value: fallback, source: 'default', path: '', state: 'counts'}]);
}

/** Every setting that has a value, set by somebody or by default, with all that is said of it. */
export function explainAll(given: {
  readonly layers: readonly SettingsLayer[];
  readonly settings: Settings;
}): Outcome<readonly SaidValue[], Fault> {
  const all: SaidValue[] = [];
  for (const key of settingKeys) {
    const said = explainSetting({key, part: ''}, given);
    if (said.tag === 'failed') return said;
    all.push(...said.value);
  }
  return ok(all);
}

/** A list or an object that is empty says nothing. */
const isEmpty = (value: Json): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const rankOf = (source: SettingSource): number => settingSources.indexOf(source);

function valuesOf(layer: SettingsLayer): Outcome<SettingsFile, Fault> {
  if ('values' in layer) return ok(layer.values);
  const parsed = parseSettings(layer);
  return parsed.tag === 'failed' ? parsed : ok(parsed.value.settings);
}

function partOf(values: Partial<SettingsFile>, {key, part}: SettingName): Json | undefined {
  const whole: unknown = values[key];
  const value: unknown = part === '' || typeof whole !== 'object' || whole === null ? whole : Reflect.get(whole, part);
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function sourcesThatCount({key, part}: SettingName, settings: Settings): ReadonlySet<SettingSource> {
  switch (key) {
    case 'permissions': {
      const {permissions} = settings;
      const lists = Object.entries(permissions).filter(([list]) => part === '' || part === list);
      return new Set(lists.flatMap(([, rules]) => rules.map(({source}) => source)));
    }
    case 'env':
      return new Set(
        Object.entries(settings.env).flatMap(([name, {source}]) => (part === '' || part === name ? [source] : [])),
      );
    case 'passEnv':
      return new Set(settings.passEnv.map(({source}) => source));
    default: {
      const chosen = settings[key];
      return new Set(chosen === undefined ? [] : [chosen.source]);
    }
  }
}

/** Settings that have a value although nobody set one. */
const defaultsOf = (settings: Settings): Partial<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([key, set]) =>
      isSourced(set) && set.source === 'default' ? [[key, set.value]] : [],
    ),
  );

const isSourced = (set: Settings[keyof Settings]): set is NonNullable<Settings['permissionMode']> =>
  set !== undefined && 'source' in set && 'value' in set;
