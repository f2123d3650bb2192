import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {PermissionMode} from '../domain/risk.ts';
import {parseSettings, type providers, type SettingKey, type SettingsFile} from './settings-file.ts';

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

/** `undefined` where nobody set a value and there is no default. */
export interface Settings {
  readonly model: Sourced<string> | undefined;
  readonly provider: Sourced<(typeof providers)[number]> | undefined;
  readonly baseUrl: Sourced<string> | undefined;
  readonly permissionMode: Sourced<PermissionMode>;
  /** The rules of all layers, in the order of the layers. */
  readonly permissions: Readonly<Record<'allow' | 'ask' | 'deny', readonly Sourced<string>[]>>;
  readonly env: Readonly<Record<string, Sourced<string>>>;
}

/**
 * Puts the layers together, in the order of `settingSources` whatever order they come in: the strongest value counts, rules add
 * up. The workspace's own files may make weft stricter and choose a model; what would let them act, or send the
 * conversation elsewhere, is left out with a warning.
 */
export function mergeSettings(
  layers: readonly SettingsLayer[],
): Outcome<{readonly settings: Settings; readonly warnings: readonly string[]}, Fault> {
  let settings: Settings = {
    model: undefined,
    provider: undefined,
    baseUrl: undefined,
    permissionMode: {value: 'default', source: 'default', path: ''},
    permissions: {allow: [], ask: [], deny: []},
    env: {},
  };
  const warnings: string[] = [];
  const inOrder = layers.toSorted((a, b) => settingSources.indexOf(a.source) - settingSources.indexOf(b.source));
  for (const layer of inOrder) {
    if ('values' in layer) {
      settings = over(settings, {source: layer.source, path: ''}, layer.values);
      continue;
    }
    const {source, path} = layer;
    const parsed = parseSettings(layer);
    if (parsed.tag === 'failed') return failed(parsed.error);
    warnings.push(...parsed.value.warnings);
    if (source === 'user' || source === 'given') {
      settings = over(settings, {source, path}, parsed.value.settings);
      continue;
    }
    const admitted = admit(parsed.value.settings, settings.permissionMode.value);
    warnings.push(...admitted.refused.map(refusal => `${path}: ${refusal}`));
    settings = over(settings, {source, path}, admitted.settings);
  }
  return ok({settings, warnings});
}

function over(
  below: Settings,
  from: {readonly source: SettingSource; readonly path: string},
  file: SettingsFile,
): Settings {
  const sourced = <T>(value: T): Sourced<T> => ({value, ...from});
  const pick = <T>(value: T | undefined, otherwise: Sourced<T> | undefined): Sourced<T> | undefined =>
    value === undefined ? otherwise : sourced(value);
  const {allow = [], ask = [], deny = []} = file.permissions ?? {};
  return {
    model: pick(file.model, below.model),
    provider: pick(file.provider, below.provider),
    baseUrl: pick(file.baseUrl, below.baseUrl),
    permissionMode: pick(file.permissionMode, below.permissionMode) ?? below.permissionMode,
    permissions: {
      allow: [...below.permissions.allow, ...allow.map(sourced)],
      ask: [...below.permissions.ask, ...ask.map(sourced)],
      deny: [...below.permissions.deny, ...deny.map(sourced)],
    },
    env: {
      ...below.env,
      ...Object.fromEntries(Object.entries(file.env ?? {}).map(([name, value]) => [name, sourced(value)])),
    },
  };
}

/** What a file of the workspace may say while nobody has been asked whether the workspace is trusted. */
function admit(
  file: SettingsFile,
  mode: PermissionMode,
): {readonly settings: SettingsFile; readonly refused: readonly string[]} {
  const {baseUrl, provider, env, permissionMode, permissions, ...harmless} = file;
  const refused: string[] = [];
  const refuse = (key: SettingKey | 'permissions.allow', why: string): void => {
    refused.push(`"${key}" is ignored: ${why}.`);
  };
  const elsewhere = 'a project may not choose where the conversation is sent; set it in your own settings';
  if (baseUrl !== undefined) refuse('baseUrl', elsewhere);
  if (provider !== undefined) refuse('provider', elsewhere);
  if (env !== undefined) refuse('env', 'a project may not set environment variables; set them in your own settings');
  if ((permissions?.allow ?? []).length > 0) {
    refuse('permissions.allow', 'a project may not permit anything by itself; put the rules into your own settings');
  }
  const isLooser = permissionMode !== undefined && looseness[permissionMode] > looseness[mode];
  if (isLooser)
    refuse('permissionMode', `a project may not be less strict than "${mode}"; choose it with --permission-mode`);
  return {
    settings: {
      ...harmless,
      ...(permissionMode === undefined || isLooser ? {} : {permissionMode}),
      ...(permissions === undefined ? {} : {permissions: {ask: permissions.ask, deny: permissions.deny}}),
    },
    refused,
  };
}

/** How much passes unasked: `plan` changes nothing, `dontAsk` denies what `default` would ask about. */
const looseness = {plan: 0, dontAsk: 1, default: 2, acceptEdits: 3, bypassPermissions: 4} as const satisfies Record<
  PermissionMode,
  number
>;
