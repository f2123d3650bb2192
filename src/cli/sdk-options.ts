import {isJsonObject} from '../base/json.ts';
import type {InitializeRequest} from '../protocol/rpc/control-message.ts';
import {UsageError} from '../app/exit-code.ts';
import {readTextFile, type MainOptions, sdkFlags} from '../app/main-options.ts';

/** Returns the options as the rest of weft reads them. Translates flags of the Agent SDK into weft's own, and refuses unsupported ones. */
export function normalizeOptions(options: MainOptions): MainOptions {
  refuseUnsupportedFlags(options);
  const {maxBudgetUsd, dangerouslySkipPermissions, model, ...rest} = options;
  const bypass = dangerouslySkipPermissions === undefined ? undefined : 'bypassPermissions';
  const append = textOf('--append-system-prompt', options.appendSystemPrompt, options.appendSystemPromptFile);
  return {
    ...rest,
    model: model === 'default' ? undefined : model,
    maxCost: options.maxCost ?? maxBudgetUsd,
    permissionMode: options.permissionMode ?? bypass,
    systemPrompt: textOf('--system-prompt', options.systemPrompt, options.systemPromptFile),
    appendSystemPrompt: appendedSystemPrompt(append, options.planModeInstructions),
  };
}

/** Returns the text to append to the system prompt, or `undefined` for none. */
function appendedSystemPrompt(text = '', planMode = ''): string | undefined {
  const plan = planMode === '' ? '' : `While the permission mode is plan:\n${planMode}`;
  return [text, plan].filter(part => part !== '').join('\n\n') || undefined;
}

function refuseUnsupportedFlags(options: MainOptions): void {
  const given = new Set(Object.keys(options));
  for (const [flags, why] of sdkFlags.refused) {
    const [flag = ''] = flags.split(' ');
    if (given.has(attributeOf(flag))) throw new UsageError(`weft doesn't support ${flag}: ${why}.`);
  }
  const {inputFormat, permissionPromptTool, permissionPrompts, thinking} = options;
  oneOf('--permission-prompts', permissionPrompts, ['host', 'none']);
  oneOf('--thinking', thinking, ['adaptive', 'disabled', 'enabled']);
  if (
    permissionPromptTool !== undefined &&
    permissionPromptTool !== 'stdio' &&
    !/^mcp__.+__./u.test(permissionPromptTool)
  ) {
    throw new UsageError('--permission-prompt-tool must be stdio or a tool of an MCP server: mcp__SERVER__TOOL.');
  }
  if (permissionPromptTool === 'stdio' && inputFormat !== 'stream-json') {
    throw new UsageError('--permission-prompt-tool stdio needs --input-format stream-json: the answers come on stdin.');
  }
  if (inputFormat === 'stream-json' && options.outputFormat !== 'stream-json') {
    throw new UsageError('--input-format stream-json needs --output-format stream-json.');
  }
}

/** Returns the option's property name: `pluginDir` for `--plugin-dir`. */
const attributeOf = (flag: string): string =>
  flag.replace(/^--/u, '').replace(/-(\w)/gu, (_whole, letter: string) => letter.toUpperCase());

function oneOf(flag: string, given: string | undefined, choices: readonly string[]): void {
  if (given === undefined || choices.includes(given)) return;
  throw new UsageError(`${flag} ${JSON.stringify(given)} is unknown. Use one of ${choices.join(', ')}.`);
}

function textOf(flag: string, text: string | undefined, file: string | undefined): string | undefined {
  if (file === undefined) return text;
  if (text !== undefined) throw new UsageError(`${flag} and ${flag}-file cannot be used together.`);
  return readTextFile(file, why => `Can't read ${file} (${flag}-file): ${why}`);
}

/** Merges the fields of `initialize` into the options. They override the flags of the command line. */
export function optionsWithInitialize(options: MainOptions, initialize: InitializeRequest | undefined): MainOptions {
  if (initialize === undefined) return options;
  refuseUnsupportedInitialize(initialize);
  const {systemPrompt, appendSystemPrompt, planModeInstructions, disallowedTools, settings, title, skills, agents} =
    initialize;
  const plugins = pluginsIn(initialize);
  const given = isJsonObject(settings) ? JSON.stringify(settings) : typeof settings === 'string' ? settings : undefined;
  const system = typeof systemPrompt === 'object' ? systemPrompt.join('\n\n') : systemPrompt;
  const append = appendSystemPrompt ?? options.appendSystemPrompt;
  return {
    ...options,
    systemPrompt: system ?? options.systemPrompt,
    appendSystemPrompt: appendedSystemPrompt(append, planModeInstructions ?? undefined) ?? options.appendSystemPrompt,
    name: title ?? options.name,
    disallowedTools: joined(options.disallowedTools, disallowedTools ?? []),
    settings: given ?? options.settings,
    agents: agents === undefined || agents === null ? options.agents : JSON.stringify(agents),
    pluginDir: joined(options.pluginDir, pathsOf(plugins, 'count')),
    pluginDirNoMcp: joined(options.pluginDirNoMcp, pathsOf(plugins, 'left-out')),
    skills: typeof skills === 'string' ? chosenSkills(skills) : (skills ?? options.skills),
  };
}

/** Joins two lists; returns `undefined` if both are empty. */
const joined = (given: readonly string[] | undefined, more: readonly string[]): readonly string[] | undefined =>
  more.length === 0 ? given : [...(given ?? []), ...more];

const chosenSkills = (skills: string): readonly string[] | 'all' => (skills === 'all' ? 'all' : [skills]);

interface PluginOfProgram {
  readonly path: string;
  readonly servers: 'count' | 'left-out';
}

/** Returns the plugin folders in an `initialize` request. */
const pluginsIn = ({plugins}: InitializeRequest): readonly PluginOfProgram[] =>
  (plugins ?? []).map(plugin => {
    if (!isJsonObject(plugin) || plugin['type'] !== 'local' || typeof plugin['path'] !== 'string') {
      throw new UsageError(
        `weft supports only plugins of the type "local" with a path, not ${JSON.stringify(plugin)}.`,
      );
    }
    return {path: plugin['path'], servers: plugin['skipMcpDiscovery'] === true ? 'left-out' : 'count'};
  });

const pathsOf = (plugins: readonly PluginOfProgram[], wanted: PluginOfProgram['servers']): readonly string[] =>
  plugins.flatMap(({path, servers}) => (servers === wanted ? [path] : []));

/** Refuses `toolAliases`: a host that replaces weft's tools relies on the replacements. */
function refuseUnsupportedInitialize({toolAliases}: InitializeRequest): void {
  if (has(toolAliases)) {
    const names = Object.keys(toolAliases ?? {}).join(', ');
    throw new UsageError(`weft can't replace the tools ${names}. Remove toolAliases.`);
  }
}

const has = (value: object | null | undefined): boolean =>
  value !== undefined && value !== null && Object.keys(value).length > 0;
