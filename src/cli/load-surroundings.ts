import {readFileSync} from 'node:fs';
import {randomUUID} from 'node:crypto';
import {findInstructions, type FoundInstructions, type Instructions} from '../config/instructions.ts';
import type {Places} from '../config/places.ts';
import {preferencesOf, type SettingsLayer, type Sourced} from '../config/settings.ts';
import {mergeTrusted, type TrustedSettings} from '../config/trusted-settings.ts';
import {causeText, faultText} from '../domain/fault.ts';
import type {Preferences} from '../domain/preferences.ts';
import type {PermissionMode} from '../domain/risk.ts';
import {parseRule, type PermissionRule, type PermissionRules} from '../safety/rules.ts';
import {isSecretFile} from '../safety/secrets/secret-file-name.ts';
import type {Store} from '../store/open-store.ts';
import {readInstructionFile} from '../workspace/read-instruction-file.ts';
import {trustOwnPath} from '../workspace/trusted-path.ts';
import {folderTrust, type FolderTrustPort} from './folder-trust.ts';
import type {MainOptions, providers} from './program.ts';
import {note} from './say.ts';
import {environmentLayer, fileLayers, settingsAbove, trustPlace} from './settings-layers.ts';
import {UsageError} from './usage-error.ts';
import {userPlaces} from './user-places.ts';
import {valueOf} from './value-of.ts';

/** What a run of weft finds around it: folders, settings, instructions, and the store when it is asked for. */
export interface Surroundings {
  readonly options: MainOptions;
  readonly directory: string;
  /** The workspace folders; the first is `directory`. */
  readonly roots: readonly [string, ...string[]];
  readonly places: Places;
  readonly settings: EffectiveSettings;
  /** The rules as they were written, who set them, and whether they count. */
  readonly permissions: TrustedSettings;
  /** What the folder's own settings want, and the user's word on it. */
  readonly trust: FolderTrustPort;
  /** What was odd in the settings: one sentence each. */
  readonly notices: readonly string[];
  /** Tells the user one line on stderr. */
  readonly note: (line: string) => void;
  /** Opened on the first call: an answer without a kept session needs none. */
  readonly store: () => Promise<Store>;
  /** The standing instructions as they were when they were first asked for. */
  readonly startInstructions: () => FoundInstructions;
  /** Read again. */
  readonly instructions: () => readonly Instructions[];
}

export interface EffectiveSettings {
  readonly model: string | undefined;
  readonly provider: (typeof providers)[number] | undefined;
  readonly baseUrl: string | undefined;
  readonly permissionMode: PermissionMode;
  readonly preferences: Preferences;
  /** In megabytes. */
  readonly memoryCeiling: number;
  readonly rules: PermissionRules;
  /** For commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that commands get although they look like secrets. */
  readonly passEnv: readonly string[];
}

export function loadSurroundings(given: {
  readonly directory: string;
  readonly added: readonly string[];
  readonly options: MainOptions;
}): Surroundings {
  const {directory, added, options} = given;
  trustOwnPath([directory, ...added]);
  const places = userPlaces();
  const place = trustPlace(directory, places);
  const readSettings = () => mergeTrusted(layersOf(directory, places, options), place);
  const merged = readSettings();
  if (merged.tag === 'failed') throw new UsageError(faultText(merged.error));
  const {settings, warnings} = merged.value;
  let store: Promise<Store> | undefined;
  let atStart: FoundInstructions | undefined;
  const readInstructions = (): FoundInstructions =>
    instructionsFor({workspace: directory, config: places.config}, options);
  return {
    options,
    directory,
    roots: [directory, ...added],
    places,
    notices: [...warnings, ...settingsAbove(directory)],
    note,
    trust: folderTrust(merged.value, place, readSettings),
    permissions: merged.value,
    settings: {
      model: settings.model?.value,
      // The flag knows one more than settings do: a recording.
      provider: options.provider ?? settings.provider?.value,
      baseUrl: settings.baseUrl?.value,
      permissionMode: settings.permissionMode.value,
      preferences: preferencesOf(settings),
      memoryCeiling: settings.memoryCeiling.value,
      passEnv: settings.passEnv.map(({value}) => value),
      env: Object.fromEntries(Object.entries(settings.env).map(([name, {value}]) => [name, value])),
      rules: {
        allow: rulesFrom(settings.permissions.allow),
        ask: rulesFrom(settings.permissions.ask),
        deny: rulesFrom(settings.permissions.deny),
      },
    },
    store: () => (store ??= openUserStore(places)),
    startInstructions: () => (atStart ??= readInstructions()),
    instructions: () => readInstructions().found,
  };
}

/** The user's database; opened once for a process that needs it. */
export async function openUserStore(places: Places): Promise<Store> {
  const {openStore} = await import('../store/open-store.ts');
  return valueOf(
    openStore({
      file: places.database,
      clock: {now: () => Date.now()},
      uuid: () => randomUUID(),
      process: {pid: process.pid},
    }),
  );
}

function layersOf(directory: string, places: Places, options: MainOptions): readonly SettingsLayer[] {
  const wanted = settingSourcesOf(options);
  return [
    ...fileLayers(directory, places).filter(({source}) => wanted.has(source)),
    ...givenLayer(options.settings),
    environmentLayer(process.env),
    {
      source: 'flags',
      values: {
        model: options.model,
        baseUrl: options.baseUrl,
        permissionMode: options.permissionMode,
        accessible: options.accessible,
        tui: options.fullscreen === undefined ? undefined : 'fullscreen',
        permissions: {allow: splitRules(options.allowedTools ?? []), deny: splitRules(options.disallowedTools ?? [])},
      },
    },
  ];
}

/** Whose settings files count, after `--setting-sources`; those that flags and the environment give always do. */
function settingSourcesOf({settingSources}: MainOptions): ReadonlySet<string> {
  const all = ['user', 'project', 'local'];
  if (settingSources === undefined) return new Set(all);
  const named = settingSources.split(/[\s,]+/u).filter(name => name !== '');
  const unknown = named.find(name => !all.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`--setting-sources: ${JSON.stringify(unknown)} does not exist. They are ${all.join(', ')}.`);
  }
  return new Set(named);
}

/** Instructions go with the settings that lie beside them. Where the system prompt is the user's own there are none. */
function instructionsFor(places: Parameters<typeof findInstructions>[0], options: MainOptions): FoundInstructions {
  if (options.systemPrompt !== undefined) return {found: [], skipped: []};
  const wanted = settingSourcesOf(options);
  return findInstructions(places, (folder, name) =>
    wanted.has(folder === places.config ? 'user' : 'project')
      ? readInstructionFile(folder, name, {...places, isSecretFile})
      : {kind: 'none'},
  );
}

function givenLayer(settings: string | undefined): readonly SettingsLayer[] {
  if (settings === undefined) return [];
  if (settings.trimStart().startsWith('{')) return [{source: 'given', path: '--settings', text: settings}];
  try {
    return [{source: 'given', path: settings, text: readFileSync(settings, 'utf8')}];
  } catch (cause) {
    throw new UsageError(`The settings file cannot be read: ${causeText(cause)}`);
  }
}

/** Rules for tools that weft has not are noted and left out: programs pass what other agents know. */
const rulesFrom = (texts: readonly Sourced<string>[]): readonly PermissionRule[] =>
  texts.flatMap(({value}) => {
    const rule = parseRule(value);
    if (rule.tag === 'ok') return [rule.value];
    if (rule.error.kind === 'malformed') throw new UsageError(rule.error.message);
    note(rule.error.message);
    return [];
  });

/** `Read,Bash(git log:*) Edit` is three rules: commas and spaces divide, except inside parentheses. */
const splitRules = (texts: readonly string[]): string[] =>
  texts.flatMap(text => text.match(/(?:[^\s,(]|\((?:[^()]|\([^()]*\))*(?:\)|$))+/gu) ?? []);
