import * as z from 'zod/mini';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../base/json.ts';
import {nearestName} from '../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {keyProviders} from '../domain/api-key.ts';
import type {Fault} from '../domain/fault.ts';
import {
  bellEvents,
  displayModes,
  editorModes,
  notificationMethods,
  type Preferences,
  themeChoices,
  verbosities,
} from '../domain/preferences.ts';
import {maxFallbacks} from '../domain/model-fallback.ts';
import {offeredModes, permissionModes, ruleLists} from '../domain/risk.ts';
import {harnessesSchema} from './harness-settings.ts';
import {modelsSchema, modelsWords} from './model-settings.ts';
import {hooksSchema, hookWords, readHooks} from './hook-settings.ts';
import {type SandboxChoice, sandboxChoices} from '../domain/sandbox.ts';

/** The protocols of OpenAI's API, by the names that Codex has for them in its settings. */
export const wireApis = ['responses', 'chat'] as const;
export type WireApi = (typeof wireApis)[number];

/** Megabytes. weft itself takes about as much as the least. */
const minCeiling = 256;
export const defaultCeiling = 1024;

/** What a setting of the UI is where nobody set it. */
export const defaultPreferences: Preferences = {
  editorMode: 'emacs',
  tui: 'inline',
  theme: 'auto',
  notify: 'off',
  verbosity: 'summary',
  accessible: false,
  bellOn: [],
};

const ruleListForm = 'a list of rules, for example ["Read"]';
const ruleList = z.optional(z.array(z.string().check(z.minLength(1))));
/** As the Agent SDK's programs say it; what else they put there is not looked at. */
const sandboxObject = z.looseObject({
  enabled: z.optional(z.boolean()),
  failIfUnavailable: z.optional(z.boolean()),
  autoAllowBashIfSandboxed: z.optional(z.boolean()),
  allowUnsandboxedCommands: z.optional(z.boolean()),
  excludedCommands: z.optional(z.array(z.string().check(z.minLength(1)))),
  network: z.optional(z.looseObject({allowLocalBinding: z.optional(z.boolean())})),
});
const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*$/u;
const variableName = z.string().check(z.regex(variablePattern));
const startedForm = 'a JSON object, for example {"command": "npx"}';
const anyName = /./su;

/**
 * Every setting of a `settings.json`: its schema, and what it must be, in words for people who wrote something else. `grants` marks
 * those that decide what weft may do, or who gets the conversation: a project's count only after trust, and commands that weft runs
 * may not set them. `parts` are what stands behind a dot in names such as `env.CI`.
 */
const table = {
  model: {schema: z.optional(z.string().check(z.minLength(1))), words: 'the name of a model', grants: true},
  fallbackModel: {
    schema: z.optional(z.readonly(z.array(z.string().check(z.minLength(1))).check(z.maxLength(maxFallbacks)))),
    words: `a list of up to ${maxFallbacks} names of models that answer where the model cannot, for example ["haiku"]`,
    grants: true,
  },
  models: {
    schema: z.optional(modelsSchema),
    words: modelsWords,
    parts: {words: 'the name of a model', form: 'a JSON object, for example {"contextWindow": 131072}', name: anyName},
    grants: true,
  },
  provider: {
    schema: z.optional(z.enum(keyProviders)),
    words: `one of ${keyProviders.join(', ')}`,
    choices: keyProviders,
    grants: true,
  },
  baseUrl: {schema: z.optional(z.url({protocol: /^https?$/u})), words: 'an http or https address', grants: true},
  wireApi: {
    schema: z.optional(z.enum(wireApis)),
    words: `one of ${wireApis.join(', ')}: the protocol of OpenAI's API that the server at baseUrl speaks`,
    grants: true,
  },
  permissionMode: {
    schema: z.optional(z.enum(permissionModes)),
    words: `one of ${permissionModes.join(', ')}`,
    choices: offeredModes,
    grants: true,
  },
  permissions: {
    schema: z.optional(z.object({allow: ruleList, ask: ruleList, deny: ruleList})),
    words: 'lists of rules, for example {"allow": ["Read"], "ask": [], "deny": ["Bash(rm:*)"]}',
    parts: {words: ruleLists.join(', '), form: ruleListForm, name: new RegExp(`^(?:${ruleLists.join('|')})$`, 'u')},
    grants: true,
  },
  sandbox: {
    schema: z.optional(z.union([z.enum(sandboxChoices), sandboxObject])),
    words:
      `one of ${sandboxChoices.join(', ')}: how commands run; or an object as the Agent SDK has it, for example ` +
      '{"enabled": true, "autoAllowBashIfSandboxed": true, "excludedCommands": ["docker"]}',
    choices: sandboxChoices,
    grants: true,
  },
  allowLocalBinding: {
    schema: z.optional(z.boolean()),
    words: "true, so that commands in the sandbox reach this machine's own ports (localhost), or false",
    choices: ['true', 'false'],
    grants: true,
  },
  env: {
    schema: z.optional(z.record(variableName, z.string())),
    words: 'names of environment variables with their text, for example {"CI": "1"}',
    parts: {words: 'the name of a variable', form: 'text', name: variablePattern},
    grants: true,
  },
  passEnv: {
    schema: z.optional(z.array(variableName)),
    words: 'names of variables that commands get although they look like secrets, for example ["NPM_TOKEN"]',
    grants: true,
  },
  hooks: {schema: z.optional(hooksSchema), words: hookWords, grants: true},
  mcpServers: {
    schema: z.optional(z.record(z.string().check(z.minLength(1)), z.custom<JsonObject>(isJsonObject))),
    words:
      'names of MCP servers with how each is started, for example {"files": {"command": "npx", "args": ["-y", "server"]}}',
    parts: {words: 'the name of a server', form: startedForm, name: anyName},
    grants: true,
  },
  harnesses: {
    schema: z.optional(harnessesSchema),
    words:
      'names of harnesses with how each is started, for example {"codex": {"env": {"OPENAI_API_KEY": "${OPENAI_API_KEY}"}}, "mine": {"command": "my-agent", "args": ["--acp"]}, "far": {"url": "http://127.0.0.1:4097", "tokenFile": "/…/token"}}',
    parts: {words: 'the name of a harness', form: startedForm, name: anyName},
    grants: true,
  },
  plugins: {
    schema: z.optional(z.array(z.string().check(z.minLength(1)))),
    words: 'a list of folders with Claude plugins, for example ["~/plugins/review"]',
    grants: true,
  },
  memoryCeiling: {
    schema: z.optional(z.int().check(z.minimum(minCeiling))),
    words: `a number of megabytes, ${minCeiling} or more: weft warns you when it uses about that much memory`,
    grants: false,
  },
  editorMode: oneOf(editorModes, 'the editing keys of the prompt'),
  tui: oneOf(displayModes, 'where the terminal UI draws'),
  theme: oneOf(themeChoices, 'the colors of the terminal UI'),
  notify: oneOf(notificationMethods, 'how weft notifies you when it needs you or is done'),
  verbosity: oneOf(verbosities, 'how much finished actions show'),
  accessible: {
    schema: z.optional(z.boolean()),
    words: 'true for screen reader mode, or false',
    choices: ['true', 'false'],
    grants: false,
  },
  bellOn: {
    schema: z.optional(z.array(z.enum(bellEvents))),
    words: `a list of ${bellEvents.join(', ')}: when the bell rings in screen reader mode`,
    grants: false,
  },
} as const;

function oneOf<const Names extends readonly string[]>(names: Names, words: string) {
  return {
    schema: z.optional(z.enum(names)),
    words: `one of ${names.join(', ')}: ${words}`,
    choices: names,
    grants: false,
  } as const;
}

type SettingKey = keyof typeof table;
/** The settings of a project that count only in a trusted folder. */
export type GrantingKey = {
  [Key in SettingKey]: (typeof table)[Key]['grants'] extends true ? Key : never;
}[SettingKey];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table are the settings
export const settingKeys = Object.keys(table) as readonly SettingKey[];

export const grantingKeys = settingKeys.filter(key => table[key].grants);
export const grantingSettings: ReadonlySet<string> = new Set(grantingKeys);

const settingsFile = z.object(
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each key of the table with its own schema
  Object.fromEntries(settingKeys.map(key => [key, table[key].schema])) as {
    [Key in SettingKey]: (typeof table)[Key]['schema'];
  },
);

/** The choice that a value of the setting stands for. */
export function sandboxChoice(value: Exclude<SettingsFile['sandbox'], undefined>): SandboxChoice {
  if (typeof value === 'string') return value;
  if (value.enabled === false) return 'native';
  return value.failIfUnavailable === true || leavingOf(value) === 'never' ? 'bwrap' : 'auto';
}

/** Whether a person is asked about running outside what failed in the sandbox. */
export const leavingOf = (value: Exclude<SettingsFile['sandbox'], undefined>): 'offered' | 'never' =>
  typeof value !== 'string' && value.allowUnsandboxedCommands === false ? 'never' : 'offered';

/**
 * Whether commands run unasked if the sandbox holds their changes. For a person they do unless the setting says no. A program that drives
 * weft has to say yes in its own settings (`own`), since other programs ask it about commands.
 */
export function runsUnasked(
  value: Exclude<SettingsFile['sandbox'], undefined>,
  own: 'yes' | 'no',
): Readonly<Record<'person' | 'program', 'held-changes' | 'nothing'>> {
  const {enabled, autoAllowBashIfSandboxed} = typeof value === 'string' ? {} : value;
  return {
    person: autoAllowBashIfSandboxed === false ? 'nothing' : 'held-changes',
    program: own === 'yes' && enabled === true && autoAllowBashIfSandboxed === true ? 'held-changes' : 'nothing',
  };
}

/** The rules of the commands that never run unasked in the sandbox, and outside of it once they are allowed: `docker` is any `docker …`. */
export const excludedRules = (value: Exclude<SettingsFile['sandbox'], undefined>): readonly string[] =>
  typeof value === 'string'
    ? []
    : (value.excludedCommands ?? []).map(text => `Bash(${/[*]/u.test(text) ? text : `${text}:*`})`);

/** Whether commands in the sandbox reach this machine's own ports: by the setting, or as the Agent SDK's programs say it. */
export const loopbackOf = (
  allowLocalBinding: boolean,
  sandbox: Exclude<SettingsFile['sandbox'], undefined>,
): 'open' | 'closed' =>
  allowLocalBinding || (typeof sandbox !== 'string' && sandbox.network?.allowLocalBinding === true) ? 'open' : 'closed';

export type SettingsFile = z.infer<typeof settingsFile>;

/** The names of all settings, and what each must be. */
export const settingNames: readonly (readonly [name: string, words: string])[] = [
  ...settingKeys.filter(key => key !== 'permissions').map(key => [key, table[key].words] as const),
  ...ruleLists.map(list => [`permissions.${list}`, ruleListForm] as const),
];

/** The values of a setting that has a few; empty for all others. */
export function settingChoices({key}: SettingName): readonly string[] {
  const setting = table[key];
  return 'choices' in setting ? setting.choices : [];
}

/**
 * Reads one settings file. A value that does not fit is an error, since ignoring it could drop a rule that somebody relies on; a key
 * that weft does not know is only a warning. An empty file sets nothing.
 */
export function parseSettings(file: {
  readonly path: string;
  readonly text: string;
}): Outcome<{readonly settings: SettingsFile; readonly warnings: readonly string[]}, Fault> {
  const text = file.text.replace(/^\u{feff}/u, '');
  if (text.trim() === '') return ok({settings: {}, warnings: []});
  const json = parseJson(text);
  if (json.tag === 'failed') return failed(unreadable(`${file.path} is not JSON: ${json.error}.`));
  if (!isJsonObject(json.value)) return failed(unreadable(`${file.path} must hold one JSON object.`));
  const parsed = settingsFile.safeParse(json.value);
  if (!parsed.success) return failed(unreadable(`${file.path}: ${doesNotFit(parsed.error.issues[0]?.path ?? [])}.`));
  const {warnings} = readHooks(parsed.data.hooks ?? {}, 'user');
  return ok({
    settings: parsed.data,
    warnings: [...unknownKeys(json.value), ...warnings].map(warning => `${file.path}: ${warning}`),
  });
}

const unreadable = (message: string): Fault => ({kind: 'needs-user', message, fix: 'Fix the file, then start again.'});

function doesNotFit(path: readonly PropertyKey[]): string {
  const key = settingKeys.find(name => name === path[0]);
  return key === undefined
    ? 'it does not fit'
    : `"${path.map(String).join('.')}" does not fit; "${key}" must be ${table[key].words}`;
}

function unknownKeys(object: JsonObject): readonly string[] {
  const permissions = object['permissions'];
  return [
    ...unknown(Object.keys(object), {known: settingKeys, within: ''}),
    ...(isJsonObject(permissions) ? unknown(Object.keys(permissions), {known: ruleLists, within: 'permissions.'}) : []),
  ];
}

const unknown = (
  names: readonly string[],
  place: {readonly known: readonly string[]; readonly within: string},
): readonly string[] =>
  names
    .filter(name => !place.known.includes(name) && name !== '$schema')
    .map(name => {
      const near = nearestName(name, place.known);
      const meant = near === undefined ? '' : ` Did you mean "${place.within}${near}"?`;
      return `"${place.within}${name}" is not a setting and is ignored.${meant}`;
    });

/** A setting as people write it: `model`, or a part of one such as `env.CI` and `permissions.allow`. */
export interface SettingName {
  readonly key: SettingKey;
  /** The name of a part of the setting; empty for the whole setting. */
  readonly part: string;
}

export const nameText = ({key, part}: SettingName): string => (part === '' ? key : `${key}.${part}`);

/** The keys of a settings file that lead to the setting. */
export const namePath = ({key, part}: SettingName): readonly [string, ...string[]] =>
  part === '' ? [key] : [key, part];

/** Reads the name of a setting. The failure says what is wrong and what may have been meant. */
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
  const parts = partsOf(key);
  return parts?.name.test(part) === true
    ? ok({key, part})
    : failed(`${key} has no part ${JSON.stringify(part)}. Its parts: ${parts?.words ?? 'none'}.`);
}

interface Parts {
  readonly words: string;
  /** What each must be. */
  readonly form: string;
  readonly name: RegExp;
}

function partsOf(key: SettingKey): Parts | undefined {
  const setting = table[key];
  return 'parts' in setting ? setting.parts : undefined;
}

/** The value that a text stands for: the text itself where the setting takes text, else the JSON in it. */
export function parseSettingValue(name: SettingName, text: string): Outcome<Json, string> {
  const json = parseJson(text);
  const candidates: readonly Json[] = json.tag === 'ok' ? [text, json.value] : [text];
  const value = candidates.find(candidate => fits(name, candidate));
  const form = (name.part === '' ? undefined : partsOf(name.key)?.form) ?? table[name.key].words;
  return value === undefined
    ? failed(`${JSON.stringify(text)} does not fit; ${nameText(name)} must be ${form}`)
    : ok(value);
}

function fits({key, part}: SettingName, value: Json): boolean {
  const text = JSON.stringify({[key]: part === '' ? value : {[part]: value}});
  return parseSettings({path: '', text}).tag === 'ok';
}
