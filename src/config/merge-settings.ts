import type {JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {CheckSetting} from '../domain/receipt.ts';
import type {Preferences} from '../domain/preferences.ts';
import type {PermissionMode, RuleList} from '../domain/risk.ts';
import {
  defaultCeiling,
  defaultKeepSessions,
  defaultPreferences,
  excludedRules,
  type GrantingKey,
  grantingKeys,
  loopbackOf,
  parseSettings,
  sandboxChoice,
  type SettingsFile,
} from './settings-schema.ts';
import {serverRequest} from './server-request.ts';
import {hookRequest, type HookSetting, hookText, readHooks} from './hook-settings.ts';
import {type ActingFile, fingerprintOf, ownRulesIn, trustIn} from './trust-record.ts';

/**
 * The sources of a value, weakest first. `project` and `local` are files of the workspace, which anyone may have written.
 * `given` is the file or JSON of --settings.
 */
export const settingSources = ['default', 'user', 'project', 'local', 'given', 'environment', 'flags'] as const;
export type SettingSource = (typeof settingSources)[number];

/** A value and its source. `path` is the file, or the name of the flag or variable, or empty for a default. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: SettingSource;
  readonly path: string;
}

export type SettingsLayer =
  | {readonly source: 'user' | 'project' | 'local' | 'given'; readonly path: string; readonly text: string}
  | {readonly source: 'environment' | 'flags'; readonly values: SettingsFile};

type AllSourced<Values> = {readonly [Key in keyof Values]: Sourced<Exclude<Values[Key], undefined>>};

/** The merged layers. A value without a default is absent if no layer sets it. */
export interface Settings
  extends
    AllSourced<Preferences>,
    AllSourced<Required<Pick<SettingsFile, keyof typeof defaults>>>,
    Partial<
      AllSourced<
        Pick<
          SettingsFile,
          | 'model'
          | 'effort'
          | 'provider'
          | 'baseUrl'
          | 'wireApi'
          | 'keyCommand'
          | 'keyCommandTtlMs'
          | 'streamIdleTimeoutMs'
        >
      >
    > {
  /** The rules, names, folders and hooks of all layers, in the order of the layers. */
  readonly permissions: Readonly<Record<RuleList, readonly Sourced<string>[]>>;
  readonly passEnv: readonly Sourced<string>[];
  readonly checks: readonly Sourced<CheckSetting>[];
  readonly requireChecks: readonly Sourced<string>[];
  readonly plugins: readonly Sourced<string>[];
  readonly hooks: readonly Sourced<HookSetting>[];
  /** The environment variables by name. For each name, the strongest layer counts. */
  readonly env: AllSourced<Value<'env'>>;
  readonly models: AllSourced<Value<'models'>>;
  readonly headers: AllSourced<Value<'headers'>>;
  readonly providers: AllSourced<Value<'providers'>>;
  readonly mcpServers: AllSourced<Value<'mcpServers'>>;
  /** A project's files can't set how a harness is started. */
  readonly harnesses: AllSourced<Value<'harnesses'>>;
}

type Value<Key extends keyof SettingsFile> = NonNullable<SettingsFile[Key]>;

const defaults = {
  permissionMode: 'default',
  fallbackModel: [],
  sandbox: 'auto',
  allowLocalBinding: false,
  loopGuard: true,
  selfReports: false,
  memoryCeiling: defaultCeiling,
  keepSessions: defaultKeepSessions,
  updateCheck: 'daily',
  compaction: 'ask',
  cacheTtl: '5m',
} as const;

interface MergedSettings {
  readonly settings: Settings;
  readonly warnings: readonly string[];
  /** The requests of the workspace's own files that need trust in the folder, in words. Empty if the files only restrict. */
  readonly trustRequests: readonly Sourced<string>[];
  /** Allow rules of the workspace that do not count, because the folder is not trusted. */
  readonly withheldRules: readonly Sourced<string>[];
  /** The commands of hooks in the workspace's own files, whether they count or not. */
  readonly hookCommands: readonly string[];
  /** The hooks in the workspace's own files that do not run, because the folder is not trusted. */
  readonly withheldHooks: readonly Sourced<HookSetting>[];
  /** The MCP servers that the workspace's own files name, whether they count or not. */
  readonly projectServers: readonly JsonObject[];
  /** The plugin folders that the workspace's own files name, whether they count or not, as the files name them. */
  readonly projectPlugins: readonly string[];
}

/**
 * Merges the layers in the order of `settingSources`, regardless of the order in which they are given. The value of the
 * strongest layer counts, and the rules of all layers add up. Files of the workspace are admitted as far as `trust`
 * allows (see `admitProjectSettings`). Settings that are not admitted are left out with a warning. `userRules` are the
 * allow rules that the user added to the workspace's files.
 */
export function mergeSettings(
  layers: readonly SettingsLayer[],
  {trust, userRules}: {readonly trust: FolderTrust; readonly userRules: readonly string[]},
): Outcome<MergedSettings, Fault> {
  let settings: Settings = {
    ...allSourced({...defaults, ...defaultPreferences}, {source: 'default', path: ''}),
    permissions: {allow: [], ask: [], deny: []},
    passEnv: [],
    checks: [],
    requireChecks: [],
    plugins: [],
    hooks: [],
    env: {},
    models: {},
    headers: {},
    providers: {},
    mcpServers: {},
    harnesses: {},
  };
  const warnings: string[] = [];
  const trustRequests: Sourced<string>[] = [];
  const withheldRules: Sourced<string>[] = [];
  const hookCommands: string[] = [];
  const withheldHooks: Sourced<HookSetting>[] = [];
  const projectServers: JsonObject[] = [];
  const projectPlugins: string[] = [];
  const inOrder = layers.toSorted((a, b) => settingSources.indexOf(a.source) - settingSources.indexOf(b.source));
  for (const layer of inOrder) {
    if ('values' in layer) {
      settings = applyLayer(settings, {source: layer.source, path: ''}, layer.values);
      continue;
    }
    const {source, path} = layer;
    const parsed = parseSettings(layer);
    if (parsed.tag === 'failed') return failed(parsed.error);
    const file = withoutBypass(parsed.value.settings);
    warnings.push(...parsed.value.warnings, ...file.refused.map(refusal => `${path}: ${refusal}`));
    if (source === 'user' || source === 'given') {
      settings = applyLayer(settings, {source, path}, file.settings);
      continue;
    }
    const rest = {...file.settings};
    for (const [key, what] of Object.entries(userOnly)) {
      if (!isUserOnly(key) || rest[key] === undefined) continue;
      warnings.push(`${path}: "${key}" is ignored: only your own settings can say ${what}.`);
      rest[key] = undefined;
    }
    const {hooks} = readHooks(rest.hooks ?? {}, source);
    hookCommands.push(...hooks.map(hookText));
    projectServers.push(...Object.values(rest.mcpServers ?? {}));
    projectPlugins.push(...(rest.plugins ?? []));
    const admitted = admitProjectSettings(rest, {source, mode: settings.permissionMode.value, trust, userRules});
    warnings.push(...admitted.refused.map(refusal => `${path}: ${refusal}`));
    trustRequests.push(...admitted.requests.map(value => ({value, source, path})));
    withheldRules.push(...admitted.withheldRules.map(value => ({value, source, path})));
    if (admitted.settings.hooks === undefined) withheldHooks.push(...hooks.map(value => ({value, source, path})));
    settings = applyLayer(settings, {source, path}, admitted.settings);
  }
  const ofProject = {hookCommands, withheldHooks, projectServers, projectPlugins};
  return ok({settings, warnings, trustRequests, withheldRules, ...ofProject});
}

/** Removes `bypassPermissions`, which no file can set: the user must choose this mode with a flag each time. */
function withoutBypass(file: SettingsFile): {readonly settings: SettingsFile; readonly refused: readonly string[]} {
  if (file.permissionMode !== 'bypassPermissions') return {settings: file, refused: []};
  const {permissionMode, ...settings} = file;
  return {
    settings,
    refused: [`"permissionMode" is ignored: only the flag --permission-mode can choose ${permissionMode}.`],
  };
}

/** The settings that a project's files never set, and what they say. */
const userOnly = {
  harnesses: 'how harnesses are started',
  keepSessions: 'how long sessions are kept',
  updateCheck: 'whether weft looks for newer versions',
  keyCommand: 'which command prints your key',
  keyCommandTtlMs: 'how long your key is kept',
  statusLine: 'which command prints your status line',
} as const;

const isUserOnly = (key: string): key is keyof typeof userOnly => Object.hasOwn(userOnly, key);

type Origin = Omit<Sourced<unknown>, 'value'>;

function applyLayer(below: Settings, from: Origin, file: SettingsFile): Settings {
  const {permissions = {}, passEnv, checks, requireChecks, plugins, hooks = {}, env, models, headers, ...named} = file;
  const {providers, mcpServers, harnesses, ...single} = named;
  const joined = <T>(before: readonly Sourced<T>[], more: readonly T[] = []): readonly Sourced<T>[] => [
    ...before,
    ...more.map(value => ({value, ...from})),
  ];
  return {
    ...below,
    ...allSourced(single, from),
    permissions: {
      allow: joined(below.permissions.allow, permissions.allow),
      ask: joined(below.permissions.ask, permissions.ask),
      deny: joined(below.permissions.deny, permissions.deny),
    },
    passEnv: joined(below.passEnv, passEnv),
    checks: joined(below.checks, checks),
    requireChecks: joined(below.requireChecks, requireChecks),
    plugins: joined(below.plugins, plugins),
    hooks: joined(below.hooks, readHooks(hooks, from.source).hooks),
    env: {...below.env, ...allSourced(env ?? {}, from)},
    models: {...below.models, ...allSourced(models ?? {}, from)},
    headers: {...below.headers, ...allSourced(headers ?? {}, from)},
    providers: {...below.providers, ...allSourced(providers ?? {}, from)},
    mcpServers: {...below.mcpServers, ...allSourced(mcpServers ?? {}, from)},
    harnesses: {...below.harnesses, ...allSourced(harnesses ?? {}, from)},
  };
}

/** Adds its source to each value. Leaves out keys without a value. */
function allSourced<Values extends object>(values: Values, from: Origin): AllSourced<Values> {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys stay, and each keeps its value
  return Object.fromEntries(present.map(([key, value]) => [key, {value, ...from}])) as AllSourced<Values>;
}

/** Returns the settings of the UI without their sources. */
export const preferencesOf = (settings: Settings): Preferences => ({
  editorMode: settings.editorMode.value,
  tui: settings.tui.value,
  theme: settings.theme.value,
  notify: settings.notify.value,
  verbosity: settings.verbosity.value,
  accessible: settings.accessible.value,
  bellOn: settings.bellOn.value,
  statusLine: settings.statusLine.value,
});

/** Whether the user trusts the folder with the current settings files. `changed`: the user trusted other versions of them. */
export type FolderTrust = 'trusted' | 'changed' | 'never';

/** Describe what a project's settings request, in the order in which the user reads it. */
const requests = {
  model: model => [`use the model ${model}`],
  fallbackModel: models => [`let ${models.join(', ')} answer if the model fails`],
  models: models => Object.keys(models).map(name => `say what the model ${name} costs and can do`),
  effort: effort => [`use the effort ${effort}`],
  baseUrl: address => [`send the conversation, and your key, to ${address}`],
  headers: headers =>
    Object.entries(headers).map(
      ([name, value]) => `send the header ${name}: ${plainText(value)} with every model request`,
    ),
  provider: provider => [`choose the provider ${provider}`],
  providers: providers => Object.entries(providers).flatMap(providerRequests),
  wireApi: protocol => [`speak the protocol ${protocol} with the model`],
  env: variables => Object.entries(variables).map(([name, value]) => `run commands with ${name}=${value}`),
  passEnv: names => names.map(name => `give commands your variable ${name}`),
  checks: checks => checks.map(checkRequest),
  requireChecks: commands => commands.map(command => `run ${command} unasked before a prompt ends`),
  plugins: folders =>
    folders.map(folder => `use the commands, agents, skills, hooks and servers of the plugin ${folder}`),
  hooks: (hooks, source) => readHooks(hooks, source).hooks.map(hookRequest),
  mcpServers: (servers, source) => Object.entries(servers).map(([name, server]) => serverRequest(name, server, source)),
} as const satisfies {[Key in Exclude<GrantingKey, IndividualKey>]: RequestsOf<Key>};

/** Granting settings that `admitProjectSettings` handles one by one. */
type IndividualKey = 'permissionMode' | 'permissions' | 'sandbox' | 'allowLocalBinding' | keyof typeof userOnly;

const providerRequests = ([name, {baseUrl, keyVariable, headers = {}, wireApi}]: [
  string,
  Value<'providers'>[string],
]): readonly string[] => [
  ...(baseUrl === undefined ? [] : [`send the conversation, and your key, to ${baseUrl} for the provider ${name}`]),
  ...(keyVariable === undefined ? [] : [`send your variable ${keyVariable} as the key of the provider ${name}`]),
  ...Object.entries(headers).map(([header, value]) => `send the header ${header}: ${value} to the provider ${name}`),
  ...(wireApi === undefined ? [] : [`speak the protocol ${wireApi} with the provider ${name}`]),
];

const checkRequest = ({name, command, directory, paths}: CheckSetting): string =>
  `count ${command}${directory === undefined ? '' : ` in ${directory}`} as the check ${name}${paths === undefined ? '' : `, which depends only on ${paths.join(', ')}`}`;

const plainText = (value: string | object): string => (typeof value === 'string' ? value : JSON.stringify(value));

type RequestsOf<Key extends keyof SettingsFile> = (value: Value<Key>, source: ProjectSource) => readonly string[];
type ProjectSource = 'project' | 'local';

function requestsOf<Key extends keyof typeof requests>(
  key: Key,
  file: SettingsFile,
  source: ProjectSource,
): readonly TrustRequest[] {
  const tell: {readonly [Name in keyof typeof requests]: RequestsOf<Name>} = requests;
  const {[key]: value} = file;
  return value === undefined ? [] : tell[key](value, source).map(text => ({key, text}));
}

/**
 * Admits the settings of a workspace file. Stricter rules, a mode stricter than `mode` and preferences of the UI always
 * count. Settings that allow or start something for the project, or that decide who gets the conversation and what it
 * costs, count only in a trusted folder. Allow rules that the user added explicitly (`userRules`) always count.
 * `requests` doesn't depend on trust. `refused` names each setting that is left out, in a sentence.
 */
function admitProjectSettings(
  file: SettingsFile,
  {
    source,
    mode,
    trust,
    userRules,
  }: {
    readonly source: ProjectSource;
    readonly mode: PermissionMode;
    readonly trust: FolderTrust;
    readonly userRules: readonly string[];
  },
) {
  const {permissionMode, permissions, sandbox, allowLocalBinding} = file;
  const isUserRule = (rule: string): boolean => userRules.includes(rule.trim());
  const allow = (permissions?.allow ?? []).filter(rule => !isUserRule(rule));
  const isLooser = permissionMode !== undefined && looseness[permissionMode] > looseness[mode];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
  const keysToTell = Object.keys(requests) as readonly (keyof typeof requests)[];
  const asked: readonly TrustRequest[] = [
    ...keysToTell.flatMap(key => requestsOf(key, file, source)),
    ...allow.map(rule => ({key: 'permissions.allow', text: `allow without asking: ${rule}`})),
    ...(sandbox === undefined
      ? []
      : [
          {key: 'sandbox', text: `run commands in the sandbox: ${sandboxChoice(sandbox)}`},
          ...excludedRules(sandbox).map(rule => ({key: 'sandbox', text: `run outside of the sandbox: ${rule}`})),
        ]),
    ...(loopbackOf(allowLocalBinding ?? false, sandbox ?? 'auto') === 'open'
      ? [{key: 'allowLocalBinding', text: "let commands in the sandbox reach this machine's own ports"}]
      : []),
    ...(isLooser ? [{key: 'permissionMode', text: `start in the mode ${permissionMode}`}] : []),
  ];
  const shared = {requests: asked.map(({text}) => text), withheldRules: trust === 'trusted' ? [] : allow};
  if (trust === 'trusted') return {settings: file, ...shared, refused: []};
  const keys = [...new Set(asked.map(({key}) => `"${key}"`))];
  const since =
    trust === 'changed' ? 'its settings changed since you trusted the folder' : 'this folder is not trusted';
  const settings = {...file};
  for (const key of grantingKeys) settings[key] = undefined;
  if (!isLooser) settings.permissionMode = permissionMode;
  if (permissions !== undefined) settings.permissions = {...permissions, allow: permissions.allow?.filter(isUserRule)};
  const verb = keys.length === 1 ? 'is' : 'are';
  const refused = `${keys.join(', ')} ${verb} ignored: ${since} (review and trust it: weft permissions trust).`;
  return {settings, ...shared, refused: keys.length === 0 ? [] : [refused]};
}

interface TrustRequest {
  readonly key: string;
  readonly text: string;
}

/** How much each mode allows without asking. `plan` changes nothing, and `dontAsk` denies what `default` would ask about. */
const looseness = {plan: 0, dontAsk: 1, default: 2, acceptEdits: 3, bypassPermissions: 4} as const satisfies Record<
  PermissionMode,
  number
>;

/** Merged settings, and whether the user trusts the folder's own files. */
export interface TrustedSettings extends MergedSettings {
  /** `nothing`: the files request nothing that needs trust. */
  readonly trust: FolderTrust | 'nothing';
  /** Identifies the content of `files`. */
  readonly fingerprint: string;
  /** The workspace's own settings files. */
  readonly files: readonly ActingFile[];
}

/** Merges the layers with the trust that `record` holds for `folder` (a real path, links followed). */
export function mergeTrusted(
  layers: readonly SettingsLayer[],
  where: {readonly folder: string; readonly record: string},
): Outcome<TrustedSettings, Fault> {
  const isBare = layers.every(({source}) => source !== 'project' && source !== 'local');
  const userRules = isBare ? [] : ownRulesIn(where.record, where.folder);
  const untrusted = mergeSettings(layers, {trust: 'never', userRules});
  if (untrusted.tag === 'failed') return untrusted;
  const files = layers.flatMap(layer =>
    layer.source === 'project' || layer.source === 'local' ? [{name: layer.source, text: layer.text}] : [],
  );
  if (files.length === 0) return ok({...untrusted.value, trust: 'nothing', fingerprint: '', files});
  const fingerprint = fingerprintOf(files);
  if (untrusted.value.trustRequests.length === 0) return ok({...untrusted.value, trust: 'nothing', fingerprint, files});
  const trust = trustIn(where.record, {folder: where.folder, fingerprint});
  const merged = mergeSettings(layers, {trust, userRules});
  return merged.tag === 'failed' ? merged : ok({...merged.value, trust, fingerprint, files});
}
