import {ok, type Outcome} from '../base/outcome.ts';
import type {Json} from '../base/json.ts';
import type {Fault} from '../domain/fault.ts';
import {nameText, parseSettings, settingKeys, type SettingName, type SettingsFile} from './settings-schema.ts';
import {settingSources, type Sourced, type Settings, type SettingSource, type SettingsLayer} from './merge-settings.ts';

/** The value that one source gives to a setting. */
export interface SettingValue {
  readonly name: string;
  readonly value: Json;
  readonly source: SettingSource;
  /** The path of the file; empty where the source is no file. */
  readonly path: string;
  /** `shadowed`: a stronger source hides it. `left-out`: this source may not set it, mostly because the folder is not trusted. */
  readonly state: 'counts' | 'shadowed' | 'left-out';
}

/**
 * The value that every source gives to a setting, the strongest source first. Lists and variables add up, so several sources may
 * count. `settings` is what the layers were merged to.
 */
export function explainSetting(
  name: SettingName,
  {layers, settings}: {readonly layers: readonly SettingsLayer[]; readonly settings: Settings},
): Outcome<readonly SettingValue[], Fault> {
  const counting = sourcesThatCount(name, settings);
  const strongest = Math.max(...[...counting].map(rankOf), -1);
  const found: SettingValue[] = [];
  for (const layer of layers.toSorted((a, b) => rankOf(b.source) - rankOf(a.source))) {
    const values = valuesOf(layer);
    if (values.tag === 'failed') return values;
    const value = partOf(values.value, name);
    if (value === undefined || isEmpty(value)) continue;
    const {source} = layer;
    const below = rankOf(source) < strongest ? 'shadowed' : 'left-out';
    const path = 'path' in layer ? layer.path : '';
    found.push({name: nameText(name), value, source, path, state: counting.has(source) ? 'counts' : below});
  }
  const fallback = counting.has('default') ? partOf(defaultsOf(settings), name) : undefined;
  if (fallback === undefined) return ok(found);
  return ok([...found, {name: nameText(name), value: fallback, source: 'default', path: '', state: 'counts'}]);
}

/** The values of all settings that have one, set by a source or by default. */
export function explainAll(given: {
  readonly layers: readonly SettingsLayer[];
  readonly settings: Settings;
}): Outcome<readonly SettingValue[], Fault> {
  const all: SettingValue[] = [];
  for (const key of settingKeys) {
    const values = explainSetting({key, part: ''}, given);
    if (values.tag === 'failed') return values;
    all.push(...values.value);
  }
  return ok(all);
}

/** An empty list or object sets nothing. */
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
    case 'mcpServers':
    case 'harnesses':
    case 'models':
      return new Set(
        Object.entries<Sourced<unknown>>(settings[key]).flatMap(([name, {source}]) =>
          part === '' || part === name ? [source] : [],
        ),
      );
    case 'passEnv':
    case 'plugins':
    case 'hooks':
      return new Set(settings[key].map(({source}) => source));
    default: {
      const chosen = settings[key];
      return new Set(chosen === undefined ? [] : [chosen.source]);
    }
  }
}

/** The settings whose value is the default. */
const defaultsOf = (settings: Settings): Partial<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([key, set]) =>
      isSourced(set) && set.source === 'default' ? [[key, set.value]] : [],
    ),
  );

const isSourced = (set: Settings[keyof Settings]): set is NonNullable<Settings['permissionMode']> =>
  set !== undefined && 'source' in set && 'value' in set;
