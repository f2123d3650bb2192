import {ok, type Outcome} from '../base/outcome.ts';
import type {Json} from '../base/json.ts';
import type {Fault} from '../domain/fault.ts';
import {nameText, parseSettings, settingKeys, type SettingName, type SettingsFile} from './settings-schema.ts';
import {settingSources, type Sourced, type Settings, type SettingSource, type SettingsLayer} from './merge-settings.ts';

export interface SettingValue {
  readonly name: string;
  readonly value: Json;
  readonly source: SettingSource;
  /** The path of the file. Empty if the source isn't a file. */
  readonly path: string;
  /**
   * `shadowed`: a stronger source overrides this value. `left-out`: this source may not set it, mostly because the
   * folder is not trusted.
   */
  readonly state: 'counts' | 'shadowed' | 'left-out';
}

/**
 * Returns the value that each source gives to a setting, the strongest source first. Lists and variables add up, so
 * several sources may count. `settings` are the merged layers.
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
  const merged = settings[name.key];
  if (merged === undefined || !isSourced(merged) || merged.source !== 'default') return ok(found);
  return ok([
    ...found,
    {name: nameText(name), value: asJson(merged.value), source: 'default', path: '', state: 'counts'},
  ]);
}

/** Returns the values of all settings that have one, from a source or by default. */
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

/** True for an empty list or object, which sets nothing. */
const isEmpty = (value: Json): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const rankOf = (source: SettingSource): number => settingSources.indexOf(source);

function valuesOf(layer: SettingsLayer): Outcome<SettingsFile, Fault> {
  if ('values' in layer) return ok(layer.values);
  const parsed = parseSettings(layer);
  return parsed.tag === 'failed' ? parsed : ok(parsed.value.settings);
}

function partOf(values: SettingsFile, {key, part}: SettingName): Json | undefined {
  const whole: unknown = values[key];
  const value = part === '' || typeof whole !== 'object' || whole === null ? whole : memberOf(whole, part);
  return value === undefined ? undefined : asJson(value);
}

/** Reads only own members, because a part may have the name of a method that every object has. */
const memberOf = (whole: object, part: string): unknown =>
  Object.hasOwn(whole, part) ? Reflect.get(whole, part) : undefined;

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));

/** The merged value of a setting: one value with its source, or several. */
type Merged = Sourced<unknown> | readonly Merged[] | {readonly [name: string]: Merged};

function sourcesThatCount({key, part}: SettingName, settings: Settings): ReadonlySet<SettingSource> {
  const whole: Merged = settings[key] ?? [];
  if (part === '' || isSourced(whole)) return new Set(sourcesIn(whole));
  return new Set(Object.entries<Merged>(whole).flatMap(([name, merged]) => (name === part ? sourcesIn(merged) : [])));
}

const sourcesIn = (merged: Merged): readonly SettingSource[] =>
  isSourced(merged) ? [merged.source] : Object.values<Merged>(merged).flatMap(sourcesIn);

/** True for a value with its source. A variable may also have the name `source`. */
const isSourced = (merged: Merged): merged is Sourced<unknown> =>
  'source' in merged && typeof merged.source === 'string';
