import * as z from 'zod/mini';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../base/json.ts';
import {nearestName} from '../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {compactionModes} from '../domain/compaction.ts';
import {providerChoices} from '../domain/api-key.ts';
import {type Fault, needsUser} from '../domain/fault.ts';
import {
  bellEvents,
  displayModes,
  editorModes,
  notificationMethods,
  type Preferences,
  themeChoices,
  verbosities,
} from '../domain/preferences.ts';
import {efforts} from '../domain/model-stream.ts';
import {maxFallbacks} from '../domain/model-fallback.ts';
import {offeredModes, permissionModes, ruleLists} from '../domain/risk.ts';
import {harnessesSchema} from './harness-settings.ts';
import {
  cacheTtls,
  headerName,
  headersSchema,
  maxKeyTtl,
  modelsExample,
  modelsSchema,
  modelsWords,
  providersSchema,
  rowProtocols,
  variablePattern,
} from './model-settings.ts';
import {hookExample, hooksSchema, hookWords, readHooks} from './hook-settings.ts';
import {type SandboxChoice, sandboxChoices} from '../domain/sandbox.ts';

/** The protocols of OpenAI's API, by the names in Codex's settings. */
export const wireApis = ['responses', 'chat'] as const;
export type WireApi = (typeof wireApis)[number];

/** The lowest memory limit, in megabytes. weft itself needs about as much. */
const minCeiling = 256;
export const defaultCeiling = 1024;

/** How long and how much of them weft keeps sessions by default. */
export const defaultKeepSessions = {days: 90, gigabytes: 2} as const;

/** The defaults of the UI's settings. */
export const defaultPreferences: Preferences = {
  editorMode: 'emacs',
  tui: 'inline',
  theme: 'auto',
  notify: 'off',
  verbosity: 'summary',
  accessible: false,
  bellOn: [],
  statusLine: 'none',
};

const someText = z.string().check(z.minLength(1));
const optionalTexts = z.optional(z.array(someText));
const checkEntry = z.object({name: someText, command: someText, directory: z.optional(someText), paths: optionalTexts});
const ruleListForm = 'a list of rules, for example ["Read"]';
/** The form that the Agent SDK's programs use. Other keys in it are ignored. */
const sandboxObject = z.looseObject({
  enabled: z.optional(z.boolean()),
  failIfUnavailable: z.optional(z.boolean()),
  autoAllowBashIfSandboxed: z.optional(z.boolean()),
  allowUnsandboxedCommands: z.optional(z.boolean()),
  excludedCommands: optionalTexts,
  network: z.optional(z.looseObject({allowLocalBinding: z.optional(z.boolean())})),
});
const variableName = z.string().check(z.regex(variablePattern));
/** Settings can't name a recording as the provider. */
const providerNames = providerChoices.filter(name => name !== 'replay');
const startedForm = 'a JSON object, for example {"command": "npx"}';

/**
 * Every setting of a `settings.json`. `about` says what the setting does. `words` say what its value must be, for
 * people who wrote something else, and `example` is a valid value as JSON. `grants` marks the settings that decide what
 * weft may do, or who gets the conversation. A project's values for them count only after trust, and commands that weft
 * runs may not set them. `parts` describes the part after the dot in names such as `env.CI`.
 */
const table = {
  model: {
    about: 'The model that answers.',
    schema: z.optional(z.string().check(z.minLength(1))),
    words: 'the name of a model',
    example: '"claude-sonnet-5-5"',
    grants: true,
  },
  fallbackModel: {
    about: 'Models that answer if the chosen one fails, tried in order.',
    schema: z.optional(z.readonly(z.array(someText).check(z.maxLength(maxFallbacks)))),
    words: `a list of up to ${maxFallbacks} names of models`,
    example: '["haiku"]',
    grants: true,
  },
  models: {
    about:
      'Facts about models: context window, prices, and what a model takes. They replace what weft knows. `effort` is the effort of requests to the model. `reasoning` says whether the model gets its own earlier thinking back: `echo` or `strip`.',
    schema: z.optional(modelsSchema),
    words: modelsWords,
    example: modelsExample,
    parts: {words: 'the name of a model', form: 'a JSON object, for example {"contextWindow": 131072}', name: /./su},
    grants: true,
  },
  effort: {
    about:
      'How much effort models put into an answer. A model without this level uses its nearest one. `/effort` keeps the effort of one model, as `effort` in `models`, and that counts more.',
    schema: z.optional(z.enum(efforts)),
    words: `one of ${efforts.join(', ')}`,
    example: '"high"',
    choices: efforts,
    grants: true,
  },
  cacheTtl: oneOf(
    cacheTtls,
    'How long Anthropic keeps the conversation in its cache. Writing for an hour costs 2 times as much as input, writing for five minutes 1.25 times.',
  ),
  streamIdleTimeoutMs: {
    about:
      'After this many milliseconds without data, weft counts an answer as lost and asks again. Local models may read a long prompt for minutes. 300000 if unset.',
    schema: z.optional(z.int().check(z.minimum(1000), z.maximum(3_600_000))),
    words: 'a number of milliseconds from 1000 to 3600000',
    example: '900000',
    grants: false,
  },
  provider: {
    about: 'The provider of the model.',
    schema: z.optional(z.string().check(z.minLength(1))),
    words: `one of ${providerNames.join(', ')}, or a name in the setting providers`,
    example: '"deepseek"',
    choices: providerNames,
    grants: true,
  },
  providers: {
    about:
      'Other addresses, key variables and headers for providers, and providers of your own. A provider of your own needs `baseUrl`, which includes the `/v1`. It speaks chat completions unless `wireApi` says `responses` or `anthropic`, and needs no key unless `keyVariable` names the variable of one.',
    schema: z.optional(providersSchema),
    words: `names of providers, each with any of baseUrl (an http or https address), keyVariable (the name of a variable), headers, and wireApi (${rowProtocols.join(', ')})`,
    example:
      '{"moonshot": {"baseUrl": "https://api.moonshot.cn/v1"}, "mine": {"baseUrl": "https://llm.example.com/v1", "keyVariable": "MINE_KEY", "headers": {"X-Team": "weft"}}}',
    parts: {
      words: 'the name of a provider',
      form: 'a JSON object, for example {"baseUrl": "https://…/v1"}',
      name: /./su,
    },
    grants: true,
  },
  baseUrl: {
    about: 'The address of the provider.',
    schema: z.optional(z.url({protocol: /^https?$/u})),
    words: 'an http or https address',
    example: '"http://localhost:11434/v1"',
    grants: true,
  },
  headers: {
    about: 'HTTP headers for every request to the model. `${VAR}` stands for an environment variable.',
    schema: z.optional(headersSchema),
    words: 'names of headers with their text, or names of providers with such an object',
    example: '{"X-Team": "weft", "anthropic": {"X-Portkey-Api-Key": "${PORTKEY_API_KEY}"}}',
    parts: {words: 'the name of a header or of a provider', form: 'text or a JSON object', name: headerName},
    grants: true,
  },
  keyCommand: {
    about: 'A shell command that prints the API key. weft runs it again if the key is too old or was refused.',
    schema: z.optional(z.string().check(z.minLength(1))),
    words: 'a shell command',
    example: '"op read op://work/anthropic/key"',
    grants: true,
    ownFilesOnly: true,
  },
  keyCommandTtlMs: {
    about: 'How long weft keeps a key that `keyCommand` printed, in milliseconds.',
    schema: z.optional(z.int().check(z.minimum(0), z.maximum(maxKeyTtl))),
    words: `a number of milliseconds, at most ${maxKeyTtl}`,
    example: '60000',
    grants: true,
    ownFilesOnly: true,
  },
  wireApi: {
    about: "The protocol of OpenAI's API that the server at `baseUrl` speaks.",
    schema: z.optional(z.enum(wireApis)),
    words: `one of ${wireApis.join(', ')}`,
    example: '"responses"',
    grants: true,
  },
  permissionMode: {
    about: 'The permission mode at the start of a session: it says how much runs without asking.',
    schema: z.optional(z.enum(permissionModes)),
    words: `one of ${permissionModes.join(', ')}`,
    example: '"acceptEdits"',
    choices: offeredModes,
    grants: true,
    exception:
      'A project may choose a stricter mode without trust. No file can choose `bypassPermissions`; only the flag `--permission-mode` can.',
  },
  permissions: {
    about: 'Rules for what runs without asking, what always asks, and what never runs.',
    schema: z.optional(z.object({allow: optionalTexts, ask: optionalTexts, deny: optionalTexts})),
    words: 'lists of rules',
    example: '{"allow": ["Read"], "ask": [], "deny": ["Bash(rm:*)"]}',
    parts: {words: ruleLists.join(', '), form: ruleListForm, name: new RegExp(`^(?:${ruleLists.join('|')})$`, 'u')},
    grants: true,
    exception: "A project's `ask` and `deny` rules count without trust.",
  },
  sandbox: {
    about: 'How commands are confined.',
    schema: z.optional(z.union([z.enum(sandboxChoices), sandboxObject])),
    words: `one of ${sandboxChoices.join(', ')}; or an object as the Agent SDK has it`,
    example: '{"enabled": true, "autoAllowBashIfSandboxed": true, "excludedCommands": ["docker"]}',
    choices: sandboxChoices,
    grants: true,
  },
  allowLocalBinding: {
    about: "Lets commands in the sandbox reach this machine's own ports (localhost).",
    schema: z.optional(z.boolean()),
    words: 'true or false',
    example: 'true',
    choices: ['true', 'false'],
    grants: true,
  },
  loopGuard: yesOrNo(
    'Stops a model that repeats a failing call, and does not repeat unchanged results of reads.',
    'false',
  ),
  selfReports: yesOrNo(
    "Asks the model to describe its calls: whether a command only reads or is risky, why it is run, and which sources a change is based on. Cards show these answers as the model's own.",
    'true',
  ),
  env: {
    about: 'Environment variables for the commands that weft runs.',
    schema: z.optional(z.record(variableName, z.string())),
    words: 'names and values of environment variables',
    example: '{"CI": "1"}',
    parts: {words: 'the name of a variable', form: 'text', name: variablePattern},
    grants: true,
  },
  passEnv: {
    about: 'Variables that commands get although their names look like secrets.',
    schema: z.optional(z.array(variableName)),
    words: 'a list of names of environment variables',
    example: '["NPM_TOKEN"]',
    grants: true,
  },
  checks: {
    about:
      'Checks besides the tests, builds, type checks and linters that weft knows. `directory` is the folder in which the command is that check; without it, any. `paths` are globs of the files that a check depends on; without them, all files that git does not ignore.',
    schema: z.optional(z.array(checkEntry)),
    words: 'a list of checks with name and command',
    example: '[{"name": "unit", "command": "node run-tests.js", "paths": ["src/**"]}]',
    grants: true,
  },
  requireChecks: {
    about: 'Commands or names of checks that must have passed since the last change when a prompt ends.',
    schema: optionalTexts,
    words: 'a list of commands',
    example: '["npm test"]',
    grants: true,
  },
  hooks: {
    about: 'Programs and addresses that weft calls at events, such as before a tool runs.',
    schema: z.optional(hooksSchema),
    words: hookWords,
    example: hookExample,
    grants: true,
  },
  mcpServers: {
    about: 'MCP servers, and how weft starts or reaches each.',
    schema: z.optional(z.record(z.string().check(z.minLength(1)), z.custom<JsonObject>(isJsonObject))),
    words: 'names of MCP servers with how each is started',
    example: '{"files": {"command": "npx", "args": ["-y", "server"]}}',
    parts: {words: 'the name of a server', form: startedForm, name: /./su},
    grants: true,
  },
  harnesses: {
    about: 'Other agents that weft can start, such as Codex, and weft servers that do the work elsewhere.',
    schema: z.optional(harnessesSchema),
    words: 'names of harnesses with how each is started',
    example:
      '{"codex": {"env": {"OPENAI_API_KEY": "${OPENAI_API_KEY}"}}, "mine": {"command": "my-agent", "args": ["--acp"]}, "far": {"url": "http://127.0.0.1:4097", "tokenFile": "/…/token"}}',
    parts: {words: 'the name of a harness', form: startedForm, name: /./su},
    grants: true,
    ownFilesOnly: true,
  },
  plugins: {
    about: 'Folders with Claude plugins.',
    schema: optionalTexts,
    words: 'a list of folders with Claude plugins',
    example: '["~/plugins/review"]',
    grants: true,
  },
  compaction: oneOf(
    compactionModes,
    "The way weft makes room when a conversation is too long for the model. `ask` shows a preview in the terminal UI, and elsewhere acts like `auto`. `auto` shortens old results and, if that isn't enough, replaces old messages with a summary. `trim` does the same without asking the model. `off` stops with the provider's error.",
  ),
  memoryCeiling: {
    about: 'weft warns you when it uses about this much memory, in megabytes.',
    schema: z.optional(z.int().check(z.minimum(minCeiling))),
    words: `a number of megabytes, ${minCeiling} or more`,
    example: '2048',
    grants: false,
  },
  updateCheck: oneOf(
    ['daily', 'off'],
    'The terminal UI looks for a newer version once a day, by npm, and names it in a line. `CI`, `DO_NOT_TRACK` and `NO_UPDATE_NOTIFIER` in the environment turn that off, too.',
  ),
  keepSessions: {
    about:
      'How long weft keeps saved sessions, in days since their last record, and how much of them, in gigabytes. Beyond either limit, the oldest are deleted by `weft sessions prune`, and once a day while the terminal UI or `weft serve` runs. The newest 50, pinned sessions, sessions that are open, and those with a plan to approve always stay. `"forever"` deletes none.',
    schema: z.optional(
      z.union([
        z.literal('forever'),
        z.object({
          days: z.optional(z.number().check(z.minimum(1))),
          gigabytes: z.optional(z.number().check(z.positive())),
        }),
      ]),
    ),
    words: '"forever", or an object with any of days and gigabytes',
    example: '{"days": 365, "gigabytes": 10}',
    grants: true,
    ownFilesOnly: true,
  },
  editorMode: oneOf(editorModes, 'The editing keys of the prompt.'),
  tui: oneOf(displayModes, "Whether the terminal UI draws into the terminal's scrollback or takes the whole screen."),
  theme: {
    about: `The colors of the terminal UI: ${themeChoices.join(', ')}. A theme of your own is a file \`themes/NAME.json\` beside your settings file.`,
    schema: z.optional(z.string().check(z.regex(/^[\w-]+$/u))),
    words: `one of ${themeChoices.join(', ')}, or the name of a file in themes/`,
    example: '"dark"',
    choices: themeChoices,
    grants: false,
  },
  notify: oneOf(notificationMethods, 'How weft notifies you when it needs you or is done.'),
  verbosity: oneOf(verbosities, 'How much finished actions show.'),
  accessible: yesOrNo('Screen-reader mode: weft only adds lines and redraws nothing.', 'true'),
  bellOn: {
    about: 'The events for which screen-reader mode rings the bell.',
    schema: z.optional(z.array(z.enum(bellEvents))),
    words: `a list of ${bellEvents.join(', ')}`,
    example: '["approval", "done"]',
    grants: false,
  },
  statusLine: {
    about:
      "A command that prints the status line of the terminal UI. It gets the session as JSON on stdin, in Claude Code's form. `padding` is the number of free columns before it. weft stops it after `timeoutMs` milliseconds, 300 if unset.",
    schema: z.optional(
      z.looseObject({
        type: z.literal('command'),
        command: z.string().check(z.minLength(1)),
        padding: z.optional(z.int().check(z.minimum(0), z.maximum(40))),
        timeoutMs: z.optional(z.int().check(z.minimum(50), z.maximum(5000))),
      }),
    ),
    words: 'an object with "type": "command" and a shell command',
    example: '{"type": "command", "command": "ccstatusline", "padding": 0}',
    grants: true,
    ownFilesOnly: true,
  },
} as const;

function yesOrNo<const Example extends string>(about: string, example: Example) {
  return {
    about,
    schema: z.optional(z.boolean()),
    words: 'true or false',
    example,
    choices: ['true', 'false'],
    grants: false,
  } as const;
}

function oneOf<const Names extends readonly [string, string, ...string[]]>(names: Names, about: string) {
  return {
    about,
    schema: z.optional(z.enum(names)),
    words: `one of ${names.join(', ')}`,
    example: `"${names[1]}"`,
    choices: names,
    grants: false,
  } as const;
}

/** Returns what the value of a setting must be, with an example of a list or object. */
const formOf = (key: SettingKey): string => {
  const {words, example} = table[key];
  return /^[[{]/u.test(example) ? `${words}, for example ${example}` : words;
};

export type SettingKey = keyof typeof table;
/** The settings of a project that count only in a trusted folder. */
export type GrantingKey = {
  [Key in SettingKey]: (typeof table)[Key]['grants'] extends true ? Key : never;
}[SettingKey];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table are the settings
export const settingKeys = Object.keys(table) as readonly SettingKey[];

export const grantingKeys = settingKeys.filter(key => table[key].grants);
export const grantingSettings: ReadonlySet<string> = new Set(grantingKeys);

export const settingsFile = z.object(
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each key of the table with its own schema
  Object.fromEntries(settingKeys.map(key => [key, table[key].schema])) as {
    [Key in SettingKey]: (typeof table)[Key]['schema'];
  },
);

/** Returns the choice that a value of the setting `sandbox` means. */
export function sandboxChoice(value: SandboxValue): SandboxChoice {
  if (typeof value === 'string') return value;
  if (value.enabled === false) return 'native';
  return value.failIfUnavailable === true || unsandboxedRetryOf(value) === 'never' ? 'bwrap' : 'auto';
}

/** Returns whether weft offers to run a command outside the sandbox after it failed inside. */
export const unsandboxedRetryOf = (value: SandboxValue): 'offered' | 'never' =>
  typeof value !== 'string' && value.allowUnsandboxedCommands === false ? 'never' : 'offered';

/**
 * Returns whether commands run without asking if the sandbox holds their changes. For a person, they do unless the
 * setting says no. A program that drives weft must say yes in its own settings (`own`), because other programs expect
 * weft to ask them about commands.
 */
export function runsUnasked(
  value: SandboxValue,
  own: 'yes' | 'no',
): Readonly<Record<'person' | 'program', 'held-changes' | 'nothing'>> {
  const {enabled, autoAllowBashIfSandboxed} = typeof value === 'string' ? {} : value;
  return {
    person: autoAllowBashIfSandboxed === false ? 'nothing' : 'held-changes',
    program: own === 'yes' && enabled === true && autoAllowBashIfSandboxed === true ? 'held-changes' : 'nothing',
  };
}

/**
 * Returns the rules for the commands that never run in the sandbox without asking, and that run outside it once they
 * are allowed. `docker` means any `docker …`.
 */
export const excludedRules = (value: SandboxValue): readonly string[] =>
  typeof value === 'string'
    ? []
    : (value.excludedCommands ?? []).map(text => `Bash(${/[*]/u.test(text) ? text : `${text}:*`})`);

/** Returns whether commands in the sandbox can reach this machine's own ports. */
export const loopbackOf = (allowLocalBinding: boolean, sandbox: SandboxValue): 'open' | 'closed' =>
  allowLocalBinding || (typeof sandbox !== 'string' && sandbox.network?.allowLocalBinding === true) ? 'open' : 'closed';

export type SettingsFile = z.infer<typeof settingsFile>;
type SandboxValue = Exclude<SettingsFile['sandbox'], undefined>;

/** The names of all settings, and what each setting does. */
export const settingNames: readonly (readonly [name: string, about: string])[] = [
  ...settingKeys.filter(key => key !== 'permissions').map(key => [key, table[key].about] as const),
  ...ruleLists.map(list => [`permissions.${list}`, ruleListForm] as const),
];

/** A setting in the form that the reference and the JSON Schema show. */
export interface SettingDescription {
  readonly key: SettingKey;
  readonly about: string;
  /** A valid value as JSON. */
  readonly example: string;
  /** `after-trust`: a project's files count once the user trusts the folder. `never`: only the user's own files count. */
  readonly project: 'always' | 'after-trust' | 'never';
  /** The exceptions to `project`, in sentences; may be empty. */
  readonly exception: string;
}

export const settingDescriptions = (): readonly SettingDescription[] =>
  settingKeys.map(key => {
    const setting = table[key];
    return {
      key,
      about: setting.about,
      example: setting.example,
      project: 'ownFilesOnly' in setting ? 'never' : setting.grants ? 'after-trust' : 'always',
      exception: 'exception' in setting ? setting.exception : '',
    };
  });

/** Returns the values of a setting that has only a few; empty for all others. */
export function settingChoices({key}: SettingName): readonly string[] {
  const setting = table[key];
  return 'choices' in setting ? setting.choices : [];
}

/**
 * Reads one settings file. An invalid value is an error, because ignoring it could drop a rule that the user relies on.
 * An unknown key is only a warning. An empty file sets nothing.
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
  if (!parsed.success) return failed(unreadable(`${file.path}: ${doesNotFit(parsed.error.issues[0])}.`));
  const {warnings} = readHooks(parsed.data.hooks ?? {}, 'user');
  return ok({
    settings: parsed.data,
    warnings: [...unknownKeys(json.value), ...warnings].map(warning => `${file.path}: ${warning}`),
  });
}

const unreadable = (message: string): Fault => needsUser(message, 'Fix the file, then start again.');

function doesNotFit(issue: z.core.$ZodIssue | undefined): string {
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...unknown];
  const key = settingKeys.find(name => name === path[0]);
  return key === undefined
    ? 'it does not fit'
    : `"${path.map(String).join('.')}" is invalid; "${key}" must be ${formOf(key)}`;
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

/** A setting in the form that people write: `model`, or a part of a setting such as `env.CI` or `permissions.allow`. */
export interface SettingName {
  readonly key: SettingKey;
  /** The name of a part of the setting; empty for the whole setting. */
  readonly part: string;
}

export const nameText = ({key, part}: SettingName): string => (part === '' ? key : `${key}.${part}`);

/** Returns the keys of a settings file that lead to the setting. */
export const namePath = ({key, part}: SettingName): readonly [string, ...string[]] =>
  part === '' ? [key] : [key, part];

/** Reads the name of a setting. The failure says what is wrong and suggests a name. */
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
  /** The required form of each value. */
  readonly form: string;
  readonly name: RegExp;
}

function partsOf(key: SettingKey): Parts | undefined {
  const setting = table[key];
  return 'parts' in setting ? setting.parts : undefined;
}

/** Reads the value of a setting from a text: the text itself if the setting accepts text, else the JSON in it. */
export function parseSettingValue(name: SettingName, text: string): Outcome<Json, string> {
  const json = parseJson(text);
  const candidates: readonly Json[] = json.tag === 'ok' ? [text, json.value] : [text];
  const value = candidates.find(candidate => fits(name, candidate));
  const form = (name.part === '' ? undefined : partsOf(name.key)?.form) ?? formOf(name.key);
  return value === undefined
    ? failed(`${JSON.stringify(text)} is invalid; ${nameText(name)} must be ${form}`)
    : ok(value);
}

function fits({key, part}: SettingName, value: Json): boolean {
  const text = JSON.stringify({[key]: part === '' ? value : {[part]: value}});
  return parseSettings({path: '', text}).tag === 'ok';
}
