import {tryOr} from '../base/outcome.ts';
import {isSecretFile} from '../safety/secrets/secret-files.ts';
import {
  findInstructions,
  findInstructionsBelow,
  type FoundInstructions,
  type Instructions,
} from '../config/instructions.ts';
import {
  mergeTrusted,
  preferencesOf,
  type Settings,
  type SettingsLayer,
  type Sourced,
  type TrustedSettings,
} from '../config/merge-settings.ts';
import {type NamedSkills, type ExtensionPlaces, extensionRoots, hasExtensions} from '../config/extension-places.ts';
import {type KeyCommandSetting, maxKeyTtl} from '../config/model-settings.ts';
import {nameInProject, projectTrust, type ProjectTrust} from '../config/trust-record.ts';
import {faultText} from '../domain/fault.ts';
import {narrowerMode, type PermissionMode} from '../domain/risk.ts';
import {excludedRules, unsandboxedRetryOf, loopbackOf, runsUnasked, sandboxChoice} from '../config/settings-schema.ts';
import type {Store} from '../store/open-store.ts';
import {restrictOwnPath} from '../workspace/exec/trusted-path.ts';
import {isFolder} from '../workspace/files/list-folder.ts';
import {readInstructionFile} from '../workspace/files/instruction-files.ts';
import type {Effort} from '../domain/model-stream.ts';
import {type IssuedKeys, issuedKeys} from './api-keys.ts';
import {namedPlugins, type PluginError} from './named-plugins.ts';
import type {AgentFile, Extensions} from '../extensions/skills/load-extensions.ts';
import {type Json, parseJson} from '../base/json.ts';
import type {Plugin} from '../config/plugin-folders.ts';
import {homedir} from 'node:os';
import {existsSync, realpathSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import type {Places} from '../config/places.ts';
import {UsageError} from './exit-code.ts';
import type {FolderTrustPort} from './host-services.ts';
import {folderTrust} from './folder-trust.ts';
import {
  conditionNotices,
  ruleNotices,
  rulesFrom,
  rulesOf,
  splitRules,
  environmentLayer,
  fileLayers,
  noticesOfSettingsAbove,
  trustPlace,
} from './settings-layers.ts';
import {inlineOrFileText, isInlineJson, type MainOptions} from './main-options.ts';
import {claudeFolder, userPlaces} from './user-data.ts';
import {type CommandsPort, noopCommands} from '../actions/commands-port.ts';
import {noopSkills, type SkillsPort} from '../actions/skills-port.ts';
import type {ExtensionPorts} from '../extensions/skills/extension-ports.ts';

/** The context of one run of weft: flags, workspace folders, merged settings, instructions, and the store once it is needed. */
export interface RunContext {
  readonly options: MainOptions;
  readonly directory: string;
  /** The folder whose settings, hooks and servers apply. `directory` may be a worktree of it. */
  readonly project: string;
  /** The workspace folders; the first is `directory`. */
  readonly roots: readonly [string, ...string[]];
  readonly places: Places;
  readonly settings: ReturnType<typeof effectiveSettings>;
  /** The settings files that apply: `user`, `project`, `local`. */
  readonly settingSources: ReadonlySet<string>;
  /** The settings with their sources: the file of each permission rule, and whether the rule applies. */
  readonly permissions: TrustedSettings;
  /** The user's trust in the folder's settings, and the requests of the settings. */
  readonly trust: FolderTrustPort;
  /** The user's trust in project files by content: skills, commands, agents, servers and scripts of hooks. */
  readonly projectTrust: ProjectTrust;
  /** Returns the skills, commands and agents; the same object with every call. */
  readonly extensions: () => RunExtensions;
  readonly plugins: readonly Plugin[];
  readonly pluginErrors: readonly PluginError[];
  /** The agent of the main conversation (`--agent`). */
  readonly agent: AgentFile | 'none';
  /** The definitions of `--agents`; `undefined` without the flag. */
  readonly agentDefinitions: Json | undefined;
  /** The keys that commands and token servers issue to this run. */
  readonly issuedKeys: IssuedKeys;
  /** The efforts that the user has chosen since the start, by model. */
  readonly sessionEfforts: Map<string, Effort | 'default'>;
  /** Returns warnings about the settings files, one sentence each. */
  readonly notices: () => Promise<readonly string[]>;
  /** Opens the store on the first call, because a run without a saved session needs none. */
  readonly store: () => Promise<Store>;
  /** Returns the instructions (AGENTS.md) as read by the first call. */
  readonly startInstructions: () => FoundInstructions;
  /** Reads the instructions again with each call. */
  readonly instructions: () => readonly Instructions[];
  /** Reads the instructions in the folders between a workspace and a file below it. Both paths are absolute. */
  readonly instructionsBelow: (workspace: string, path: string) => readonly Instructions[];
}

/** Returns the settings in the form that a run uses. */
const effectiveSettings = (settings: Settings, flags: Pick<MainOptions, 'provider'>) => ({
  model: settings.model?.value,
  models: valuesOf(settings.models),
  fallbackModels: settings.fallbackModel,
  effort: settings.effort,
  cacheTtl: settings.cacheTtl.value,
  streamIdleTimeoutMs: settings.streamIdleTimeoutMs?.value,
  // The flag has one more choice than the setting: a recording.
  provider: flags.provider || settings.provider?.value || undefined,
  baseUrl: baseUrlFor(settings, flags),
  providers: valuesOf(settings.providers),
  wireApi: settings.wireApi?.value,
  headers: valuesOf(settings.headers),
  keyCommand: keyCommandOf(settings),
  permissionMode: settings.permissionMode.value,
  sandbox: sandboxChoice(settings.sandbox.value),
  unasked: runsUnasked(settings.sandbox.value, settings.sandbox.source === 'given' ? 'yes' : 'no'),
  unsandboxedRetry: unsandboxedRetryOf(settings.sandbox.value),
  /** Commands that never run unasked in the sandbox, and that run outside it once they are allowed. */
  excluded: rulesFrom(excludedRules(settings.sandbox.value).map(value => ({...settings.sandbox, value}))),
  loopback: loopbackOf(settings.allowLocalBinding.value, settings.sandbox.value),
  loopGuard: settings.loopGuard.value ? ('on' as const) : ('off' as const),
  selfReports: settings.selfReports.value ? ('offered' as const) : ('left-out' as const),
  preferences: preferencesOf(settings),
  memoryCeiling: settings.memoryCeiling.value,
  keepSessions: settings.keepSessions.value,
  updateCheck: settings.updateCheck.value,
  compaction: settings.compaction.value,
  passEnv: settings.passEnv.map(({value}) => value),
  checks: settings.checks.map(({value}) => value),
  requireChecks: settings.requireChecks.map(({value}) => value),
  env: valuesOf(settings.env),
  hooks: settings.hooks,
  rules: rulesOf(settings),
});

/** Returns the address. An address in the settings files applies to their own provider, but not to another provider that a flag names. */
function baseUrlFor({baseUrl, provider}: Settings, flags: Pick<MainOptions, 'provider'>): string | undefined {
  const isOthers = baseUrl?.source !== 'flags' && provider !== undefined && provider.value !== flags.provider;
  return flags.provider !== undefined && isOthers ? undefined : baseUrl?.value;
}

function keyCommandOf({keyCommand, keyCommandTtlMs, provider}: Settings): KeyCommandSetting | undefined {
  if (keyCommand === undefined) return undefined;
  const given = keyCommand.source === 'given' ? 'yes' : 'no';
  return {command: keyCommand.value, ttlMs: keyCommandTtlMs?.value ?? maxKeyTtl, given, provider: provider?.value};
}

/** Returns named settings without their sources. */
export const valuesOf = <T>(sourced: Readonly<Record<string, Sourced<T>>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(sourced).map(([name, {value}]) => [name, value]));

/** Loads the context of a run with these flags, in the folder `cwd`. */
export const contextFor = (options: Partial<MainOptions>): RunContext =>
  loadRunContext({
    directory: existingFolder(options.cwd ?? '.'),
    added: (options.addDir ?? []).map(existingFolder),
    options: {sessionPersistence: true, color: true, ...options},
  });

export function loadRunContext(given: {
  readonly directory: string;
  readonly added: readonly string[];
  readonly options: MainOptions;
}): RunContext {
  const {directory, added, options} = given;
  restrictOwnPath([directory, ...added]);
  const places = userPlaces(options.store);
  const place = trustPlace(directory, places);
  const readSettings = () => mergeTrusted(layersOf(directory, places, options), place);
  const merged = readSettings();
  if (merged.tag === 'failed') throw new UsageError(faultText(merged.error));
  const {settings, warnings} = merged.value;
  const trusted = projectTrust(place);
  const sources = settingSourcesOf(options);
  const {plugins, notices, errors} = namedPlugins(settings.plugins, options, {directory, trust: trusted});
  const trust = folderTrust(merged.value, {...place, plugins: plugins.map(({folder}) => folder)}, readSettings);
  const agents = options.agents === undefined ? undefined : definitionsIn(options.agents);
  let extensions: RunExtensions | undefined;
  let store: Promise<Store> | undefined;
  let atStart: FoundInstructions | undefined;
  const readInstructions = (): FoundInstructions =>
    instructionsFor(
      {workspace: directory, config: places.config, claude: claudeFolder(), memory: places.memory},
      options,
    );
  return {
    options,
    directory,
    project: directory,
    roots: [directory, ...added],
    places,
    notices: async () => [
      ...warnings,
      ...notices,
      ...(sources.has('project') ? noticesOfSettingsAbove(directory) : []),
      ...conditionNotices(settings.hooks),
      ...(await ruleNotices(settings.permissions.allow)),
    ],
    trust: {
      ...trust,
      untrustedFiles: async () => (sources.has('project') || plugins.length > 0 ? trust.untrustedFiles() : []),
    },
    projectTrust: trusted,
    plugins,
    pluginErrors: errors,
    extensions: () =>
      (extensions ??=
        options.disableSlashCommands === undefined
          ? runExtensions(
              {
                project: sources.has('project') ? {directory, trust: trusted} : 'none',
                user: sources.has('user') ? {home: homedir(), config: places.config} : 'none',
                plugins,
                skills: namedSkills(options.skillsPath, {directory, trust: trusted}),
              },
              {
                chosen: options.skills === undefined || options.skills === 'all' ? 'all' : new Set(options.skills),
                agents,
              },
            )
          : noExtensions),
    issuedKeys: issuedKeys(),
    sessionEfforts: new Map(),
    agent: 'none',
    agentDefinitions: agents,
    settingSources: sources,
    permissions: merged.value,
    settings: effectiveSettings(settings, options),
    store: () => (store ??= openKept(places)),
    startInstructions: () => (atStart ??= readInstructions()),
    instructions: () => readInstructions().found,
    instructionsBelow: (workspace, path) =>
      options.systemPrompt === undefined && sources.has('project')
        ? findInstructionsBelow({workspace, path}, (folder, name) =>
            readInstructionFile(folder, name, {
              workspace,
              config: places.config,
              claude: claudeFolder(),
              memory: places.memory,
              isSecretFile,
            }),
          )
        : [],
  };
}

/** Returns a named folder of skills. A folder in the project needs trust, no matter who names it. */
function namedSkills(
  folder: string | undefined,
  project: {readonly directory: string; readonly trust: ProjectTrust},
): readonly NamedSkills[] {
  if (folder === undefined) return [];
  const isInside = nameInProject(folder, {directory: project.directory, folder: project.trust.folder}) !== undefined;
  return [{folder, trust: isInside ? project.trust : 'trusted'}];
}

const openKept = async (places: Places): Promise<Store> => (await import('./user-database.ts')).openUserStore(places);

/** Returns the mode, or the mode of the folder's settings if that is narrower. A schedule may not do more than the user allows weft. */
export const modeWithin = (mode: PermissionMode, directory: string): PermissionMode =>
  narrowerMode(
    mode,
    loadRunContext({directory, added: [], options: {sessionPersistence: true, color: false}}).settings.permissionMode,
  );

function layersOf(directory: string, places: Places, options: MainOptions): readonly SettingsLayer[] {
  const wanted = settingSourcesOf(options);
  return [
    ...fileLayers(directory, places).filter(({source}) => wanted.has(source)),
    ...givenLayer(options.settings),
    environmentLayer(process.env),
    {
      source: 'flags',
      values: {
        model: options.model || undefined,
        fallbackModel: options.fallbackModel,
        effort: options.effort,
        baseUrl: options.baseUrl,
        permissionMode: options.permissionMode,
        sandbox: options.sandbox,
        accessible: options.accessible,
        tui: options.fullscreen === undefined ? undefined : 'fullscreen',
        permissions: {allow: splitRules(options.allowedTools ?? []), deny: splitRules(options.disallowedTools ?? [])},
      },
    },
  ];
}

/** Returns the settings files that `--bare` and `--setting-sources` select. Flags and the environment always apply. */
function settingSourcesOf({bare, settingSources = bare && ''}: MainOptions): ReadonlySet<string> {
  const all = ['user', 'project', 'local'];
  if (settingSources === undefined) return new Set(all);
  const named = settingSources.split(/[\s,]+/u).filter(name => name !== '');
  const unknown = named.find(name => !all.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`--setting-sources: unknown source ${JSON.stringify(unknown)}. Use ${all.join(', ')}.`);
  }
  return new Set(named);
}

/** Reads the instructions of the folders whose settings apply. There are none if the user replaced the system prompt. */
function instructionsFor(places: Parameters<typeof findInstructions>[0], options: MainOptions): FoundInstructions {
  const wanted = settingSourcesOf(options);
  if (options.systemPrompt !== undefined || wanted.size === 0) return {found: [], skipped: []};
  const isOwn = (folder: string): boolean =>
    folder === places.config || folder === places.claude || dirname(folder) === places.memory;
  return findInstructions({...places, memory: existsSync(places.memory) ? places.memory : 'none'}, (folder, name) =>
    wanted.has(isOwn(folder) ? 'user' : 'project')
      ? readInstructionFile(folder, name, {...places, isSecretFile})
      : {kind: 'none'},
  );
}

/** Reads `--agents`: JSON, or a file with JSON. */
function definitionsIn(given: string): Json {
  const text = inlineOrFileText(given, why => `--agents is neither JSON nor a readable file: ${why}`);
  const json = parseJson(text.replace(/^\uFEFF/u, ''));
  if (json.tag === 'ok') return json.value;
  throw new UsageError(`${isInlineJson(given) ? '--agents' : given} is not JSON: ${json.error}`);
}

function givenLayer(settings: string | undefined): readonly SettingsLayer[] {
  if (settings === undefined) return [];
  const text = inlineOrFileText(settings, why => `Can't read the settings file: ${why}`);
  return [{source: 'given', path: isInlineJson(settings) ? '--settings' : settings, text}];
}

/** Returns the absolute path of a folder from the command line. Throws a usage error if there is none. */
export function existingFolder(path: string): string {
  const directory = resolve(path);
  if (!isFolder(directory)) throw new UsageError(`${directory} is not a folder.`);
  return directory;
}

export interface RunExtensions {
  readonly commands: CommandsPort;
  readonly skills: SkillsPort;
  /** Returns the folders with skills of the user and of plugins, with links resolved. */
  readonly skillFolders: () => readonly string[];
  /** Returns everything that was found, including what is not offered. Never rejects. */
  readonly found: (signal: AbortSignal) => Promise<Extensions>;
}

/**
 * Makes the ports for skills, commands and agents. Reads nothing until it is used, and loads no module if there is no folder to read.
 * `chosen` are the only skills that the model sees. `agents` are definitions from `--agents`.
 */
function runExtensions(
  places: ExtensionPlaces,
  {chosen, agents}: {readonly chosen: ReadonlySet<string> | 'all'; readonly agents: Json | undefined},
): RunExtensions {
  if (!hasExtensions(places) && agents === undefined) return noExtensions;
  let loaded: Promise<Extensions> | undefined;
  let ports: ExtensionPorts | undefined;
  let loading: Promise<ExtensionPorts> | undefined;
  const found = (signal: AbortSignal): Promise<Extensions> =>
    (loaded ??= import('../extensions/skills/load-extensions.ts').then(async ({loadExtensions}) =>
      loadExtensions(places, agents === undefined ? [] : await definedAgents(agents), signal),
    ));
  const load = (): Promise<ExtensionPorts> =>
    (loading ??= import('../extensions/skills/extension-ports.ts').then(({makeExtensionPorts}) => {
      ports = makeExtensionPorts(() => found(new AbortController().signal), {chosen});
      return ports;
    }));
  let folders: readonly string[] | undefined;
  return {
    commands: {
      ready: async signal => (await load()).commands.ready(signal),
      list: () => ports?.commands.list() ?? noopCommands.list(),
      whyWithheld: name => ports?.commands.whyWithheld(name) ?? '',
      expand: async (request, signal) => (await load()).commands.expand(request, signal),
    },
    skills: {
      ready: async signal => (await load()).skills.ready(signal),
      catalogue: () => ports?.skills.catalogue(),
      read: async (request, signal) => (await load()).skills.read(request, signal),
    },
    skillFolders: () => (folders ??= skillFoldersOf(places)),
    found,
  };
}

/** Returns the agents of `--agents`. weft has already reported errors in it at start. */
async function definedAgents(json: Json): Promise<readonly AgentFile[]> {
  const {parseAgents} = await import('../extensions/skills/load-extensions.ts');
  const read = parseAgents(json, '--agents');
  return read.tag === 'ok' ? read.value : [];
}

const noExtensions: RunExtensions = {
  commands: noopCommands,
  skills: noopSkills,
  skillFolders: () => [],
  found: async () => ({skills: [], commands: [], agents: [], notices: []}),
};

const skillFoldersOf = (places: ExtensionPlaces): readonly string[] =>
  extensionRoots(places)
    .filter(({scope}) => scope !== 'project')
    .flatMap(({paths}) => paths.skills)
    .flatMap(folder => tryOr(() => [realpathSync(folder)], []));
