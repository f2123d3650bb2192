import {isJsonObject} from '../base/json.ts';
import type {InitializeRequest} from '../protocol/rpc/control-message.ts';
import {UsageError} from '../app/exit-code.ts';
import {readTextFile, type MainOptions, sdkFlags} from '../app/main-options.ts';

/**
 * The options as the rest of weft reads them: what programs say in words of their own is said in weft's, and what weft cannot do
 * is refused.
 */
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

/** What is added to the system prompt; `undefined` for nothing. */
function appendedSystemPrompt(text = '', planMode = ''): string | undefined {
  const plan = planMode === '' ? '' : `While the permission mode is plan:\n${planMode}`;
  return [text, plan].filter(part => part !== '').join('\n\n') || undefined;
}

function refuseUnsupportedFlags(options: MainOptions): void {
  const given = new Set(Object.keys(options));
  for (const [flags, why] of sdkFlags.refused) {
    const [flag = ''] = flags.split(' ');
    if (given.has(attributeOf(flag))) throw new UsageError(`${flag} is not possible: ${why}.`);
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

/** `--plugin-dir` is `pluginDir` among the options. */
const attributeOf = (flag: string): string =>
  flag.replace(/^--/u, '').replace(/-(\w)/gu, (_whole, letter: string) => letter.toUpperCase());

function oneOf(flag: string, given: string | undefined, choices: readonly string[]): void {
  if (given === undefined || choices.includes(given)) return;
  throw new UsageError(`${flag} ${JSON.stringify(given)} is unknown. Use one of ${choices.join(', ')}.`);
}

function textOf(flag: string, text: string | undefined, file: string | undefined): string | undefined {
  if (file === undefined) return text;
  if (text !== undefined) throw new UsageError(`${flag} and ${flag}-file cannot be used together.`);
  return readTextFile(file, why => `${flag}-file ${file} cannot be read: ${why}`);
}

/** The options with what a program says in its greeting, which goes over what it said on the command line. */
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

/** Both lists; `undefined` if neither names anything. */
const joined = (given: readonly string[] | undefined, more: readonly string[]): readonly string[] | undefined =>
  more.length === 0 ? given : [...(given ?? []), ...more];

const chosenSkills = (skills: string): readonly string[] | 'all' => (skills === 'all' ? 'all' : [skills]);

interface PluginOfProgram {
  readonly path: string;
  readonly servers: 'count' | 'left-out';
}

/** The plugin folders of a greeting. */
const pluginsIn = ({plugins}: InitializeRequest): readonly PluginOfProgram[] =>
  (plugins ?? []).map(plugin => {
    if (!isJsonObject(plugin) || plugin['type'] !== 'local' || typeof plugin['path'] !== 'string') {
      throw new UsageError(`weft uses plugins of the type "local" with a path, not ${JSON.stringify(plugin)}.`);
    }
    return {path: plugin['path'], servers: plugin['skipMcpDiscovery'] === true ? 'left-out' : 'count'};
  });

const pathsOf = (plugins: readonly PluginOfProgram[], wanted: PluginOfProgram['servers']): readonly string[] =>
  plugins.flatMap(({path, servers}) => (servers === wanted ? [path] : []));

/** A host that names other tools in the place of weft's own relies on them. */
function refuseUnsupportedInitialize({toolAliases}: InitializeRequest): void {
  if (has(toolAliases)) {
    const names = Object.keys(toolAliases ?? {}).join(', ');
    throw new UsageError(`weft cannot take another tool in the place of ${names}: leave toolAliases out.`);
  }
}

const has = (value: object | null | undefined): boolean =>
  value !== undefined && value !== null && Object.keys(value).length > 0;
