import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {Preferences} from '../domain/preferences.ts';
import type {PermissionMode, RuleList} from '../domain/risk.ts';
import {admit, type FolderTrust} from './admit-project.ts';
import {defaultPreferences, eachPreference} from './preferences.ts';
import {defaultCeiling, parseSettings, type providers, type SettingsFile} from './settings-file.ts';

/**
 * Where a value can come from, weakest first. `project` and `local` are files of the workspace, which may have been written by
 * anyone; `given` is what --settings names.
 */
export const settingSources = ['default', 'user', 'project', 'local', 'given', 'environment', 'flags'] as const;
export type SettingSource = (typeof settingSources)[number];

/** A value and who set it; `path` is the file, or the name of the flag or variable, or empty for a default. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: SettingSource;
  readonly path: string;
}

export type SettingsLayer =
  | {readonly source: 'user' | 'project' | 'local' | 'given'; readonly path: string; readonly text: string}
  | {readonly source: 'environment' | 'flags'; readonly values: SettingsFile};

type AllSourced<Values> = {readonly [Key in keyof Values]: Sourced<Exclude<Values[Key], undefined>>};

/** `undefined` where nobody set a value and there is no default. */
export interface Settings extends AllSourced<Preferences> {
  readonly model: Sourced<string> | undefined;
  readonly provider: Sourced<(typeof providers)[number]> | undefined;
  readonly baseUrl: Sourced<string> | undefined;
  readonly permissionMode: Sourced<PermissionMode>;
  /** The rules of all layers, in the order of the layers. */
  readonly permissions: Readonly<Record<RuleList, readonly Sourced<string>[]>>;
  readonly env: Readonly<Record<string, Sourced<string>>>;
  /** Names of variables that look like secrets and that commands get all the same, from all layers. */
  readonly passEnv: readonly Sourced<string>[];
  /** In megabytes: near it weft tells that it has grown large. */
  readonly memoryCeiling: Sourced<number>;
}

export interface MergedSettings {
  readonly settings: Settings;
  readonly warnings: readonly string[];
  /** What the workspace's own files have or would have only in a trusted folder, in words; empty where they only restrict. */
  readonly wishes: readonly Sourced<string>[];
  /** The workspace's rules that allow, where the folder is not trusted. */
  readonly withheld: readonly Sourced<string>[];
}

/**
 * Puts the layers together, in the order of `settingSources` whatever order they come in: the strongest value counts, rules add
 * up. The workspace's own files may make weft stricter; what would let them act, or choose the model and where the conversation
 * goes, counts only where the user trusts the folder, and is left out with a warning elsewhere; of the rules that allow, those
 * that the user added there, `own`, count at once.
 */
export function mergeSettings(
  layers: readonly SettingsLayer[],
  {trust, own}: {readonly trust: FolderTrust; readonly own: readonly string[]},
): Outcome<MergedSettings, Fault> {
  let settings: Settings = {
    model: undefined,
    provider: undefined,
    baseUrl: undefined,
    permissions: {allow: [], ask: [], deny: []},
    env: {},
    passEnv: [],
    ...allSourced({permissionMode: 'default', memoryCeiling: defaultCeiling, ...defaultPreferences} as const, {
      source: 'default',
      path: '',
    }),
  };
  const warnings: string[] = [];
  const wishes: Sourced<string>[] = [];
  const withheld: Sourced<string>[] = [];
  const inOrder = layers.toSorted((a, b) => settingSources.indexOf(a.source) - settingSources.indexOf(b.source));
  for (const layer of inOrder) {
    if ('values' in layer) {
      settings = over(settings, {source: layer.source, path: ''}, layer.values);
      continue;
    }
    const {source, path} = layer;
    const parsed = parseSettings(layer);
    if (parsed.tag === 'failed') return failed(parsed.error);
    const file = withoutBypass(parsed.value.settings);
    warnings.push(...parsed.value.warnings, ...file.refused.map(refusal => `${path}: ${refusal}`));
    if (source === 'user' || source === 'given') {
      settings = over(settings, {source, path}, file.settings);
      continue;
    }
    const admitted = admit(file.settings, {mode: settings.permissionMode.value, trust, own});
    warnings.push(...admitted.refused.map(refusal => `${path}: ${refusal}`));
    wishes.push(...admitted.wishes.map(value => ({value, source, path})));
    withheld.push(...admitted.withheld.map(value => ({value, source, path})));
    settings = over(settings, {source, path}, admitted.settings);
  }
  return ok({settings, warnings, wishes, withheld});
}

/** That nothing is asked at all is chosen anew each time, by a flag. */
function withoutBypass(file: SettingsFile): {readonly settings: SettingsFile; readonly refused: readonly string[]} {
  if (file.permissionMode !== 'bypassPermissions') return {settings: file, refused: []};
  const {permissionMode, ...settings} = file;
  return {
    settings,
    refused: [`"permissionMode" is ignored: ${permissionMode} is chosen by the flag --permission-mode only.`],
  };
}

type Origin = Omit<Sourced<unknown>, 'value'>;

function over(below: Settings, from: Origin, file: SettingsFile): Settings {
  const {permissions, env = {}, passEnv = [], ...single} = file;
  const sourced = <T>(value: T): Sourced<T> => ({value, ...from});
  const {allow = [], ask = [], deny = []} = permissions ?? {};
  return {
    ...below,
    ...allSourced(single, from),
    permissions: {
      allow: [...below.permissions.allow, ...allow.map(sourced)],
      ask: [...below.permissions.ask, ...ask.map(sourced)],
      deny: [...below.permissions.deny, ...deny.map(sourced)],
    },
    passEnv: [...below.passEnv, ...passEnv.map(sourced)],
    env: {...below.env, ...allSourced(env, from)},
  };
}

/** Each value with where it came from; those that are not said are absent. */
function allSourced<Values extends object>(values: Values, from: Origin): AllSourced<Values> {
  const said = Object.entries(values).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys stay, and each keeps its value
  return Object.fromEntries(said.map(([key, value]) => [key, {value, ...from}])) as AllSourced<Values>;
}

/** The preferences without where they came from. */
export const preferencesOf = (settings: Settings): Preferences =>
  eachPreference<Preferences>(key => settings[key].value);
