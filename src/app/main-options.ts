import {readFileSync} from 'node:fs';
import {causeText} from '../domain/fault.ts';
import {efforts, type Thinking} from '../domain/model-stream.ts';
import {permissionModes} from '../domain/risk.ts';
import {sandboxChoices} from '../domain/sandbox.ts';
import type {MessageId} from '../domain/ids.ts';
import {UsageError} from './exit-code.ts';

const inputFormats = ['text', 'stream-json'] as const;
export const outputFormats = ['text', 'json', 'stream-json'] as const;

const agents = [
  '--agents <file-or-json>',
  'Define more agents: {"NAME": {"description": "…", "prompt": "…"}}',
] as const;
const pluginDir = [
  '--plugin-dir <dir>',
  'Load a Claude plugin folder; can be given several times',
  'repeated',
] as const;
/** Main flags that some commands also take. */
export const sharedFlags = {agents, pluginDir} as const;

/** The flags of weft without a command, in the order of `weft --help`. Each row: flag, description, and its choices or value type. */
export const mainFlags = [
  ['-p, --prompt <text>', 'Answer on stdout and exit; "-" reads the prompt from stdin'],
  ['--print', 'Answer on stdout and exit; the prompt comes from the arguments or stdin'],
  ['--output-format <format>', 'Format of stdout', outputFormats],
  ['--input-format <format>', 'Format of stdin', inputFormats],
  ['--include-partial-messages', 'With stream-json: include partial messages as they arrive'],
  ['--model <model>', 'Model to use'],
  ['--fallback-model <models>', 'Up to three models to switch to if the chosen one fails (a,b)', 'model-names'],
  ['--effort <level>', 'How much effort the model puts into its answers', efforts],
  ['--provider <name>', 'Provider of the model, or a name in your setting providers', 'provider'],
  ['--base-url <url>', 'Address of the provider'],
  ['--replay <file>', 'Replay a recorded model conversation'],
  ['--record <file>', 'Record the model conversation to a file'],
  ['--permission-mode <mode>', 'How much runs without asking', permissionModes],
  ['--sandbox <how>', 'Confine what commands can reach (default: auto)', sandboxChoices],
  ['--allowed-tools <rules...>', 'Allow without asking, such as "Bash(git status:*)" "Edit(src/**)"'],
  ['--disallowed-tools <rules...>', 'Never allow'],
  ['--max-turns <n>', 'Stop before a prompt makes more model requests', 'whole-number'],
  ['--max-cost <usd>', 'Stop before the session costs more than this', 'positive-number'],
  ['--timeout <seconds>', 'Without the terminal UI: stop after this time (exit code 124)', 'seconds'],
  [
    '--goal <condition>',
    'Go on until this holds: a command such as "npm test", "file: PATH exists", "json: PATH .key >= 80"',
  ],
  ['--require-check <command>', 'Exit with 0 only if this has passed since the last change; repeatable', 'repeated'],
  ['-c, --continue', 'Continue the newest session of this folder'],
  ['-r, --resume [session]', 'Resume a session; without an id, choose one'],
  ['--session-id <uuid>', 'ID of the new session'],
  ['--fork-session', 'With --continue or --resume: continue in a copy'],
  ['--no-session-persistence', 'Do not save this session'],
  ['-C, --cwd <dir>', 'Work in this folder'],
  ['--add-dir <dir...>', 'Add folders to the workspace'],
  ['--system-prompt <text>', 'Replace the system prompt'],
  ['--append-system-prompt <text>', 'Append to the system prompt'],
  ['--agent <name>', 'Act as this agent: its prompt, tools and model'],
  agents,
  ['--worktree [name]', 'Work in a separate git worktree that starts with your uncommitted changes'],
  ['--json-schema <file-or-json>', 'Without the terminal UI: answer with JSON that fits this schema'],
  ['--bare', 'Read no settings files, instructions, extensions or memory; flags still count'],
  ['--settings <file-or-json>', 'Settings that override the settings files'],
  ['--mcp-config <files-or-json...>', 'MCP servers to add to those in the settings'],
  ['--strict-mcp-config', 'Use only the MCP servers from --mcp-config'],
  pluginDir,
  ['--verbose', 'Print the model in use to stderr'],
  ['--debug', 'Log events as JSON lines to stderr; --debug=FILE: to a file'],
  ['--accessible', 'Screen reader mode: plain lines, never redrawn'],
  ['--fullscreen', 'Full-screen terminal UI instead of the scrollback'],
  ['--no-color', 'No colors'],
] as const;

/** The headings of the main flags in `weft --help`. The everyday flags have none, and come first. */
export const flagHeadings = {
  Model:
    '--fallback-model --provider --base-url --replay --record --system-prompt --append-system-prompt --agent --agents',
  Permissions: '--sandbox --allowed-tools --disallowed-tools --max-turns --max-cost --timeout --goal --require-check',
  Session:
    '--session-id --fork-session --no-session-persistence --add-dir --worktree --bare --settings --mcp-config --strict-mcp-config --plugin-dir',
  Output: '--print --input-format --include-partial-messages --json-schema --verbose --debug',
  Terminal: '--accessible --fullscreen --no-color',
} as const;

type LongFlag = `--${LongOf<(typeof mainFlags)[number][0]>}` | '--allowedTools' | '--disallowedTools';

const runFlags: readonly LongFlag[] = [
  '--model',
  '--fallback-model',
  '--effort',
  '--provider',
  '--base-url',
  '--sandbox',
  '--allowed-tools',
  '--disallowed-tools',
  '--allowedTools',
  '--disallowedTools',
  '--max-turns',
  '--max-cost',
  '--goal',
  '--require-check',
  '--cwd',
  '--add-dir',
  '--bare',
  '--settings',
  '--mcp-config',
];
const planFlags: readonly LongFlag[] = [
  ...runFlags,
  '--replay',
  '--record',
  '--system-prompt',
  '--append-system-prompt',
  '--agent',
  '--agents',
  '--strict-mcp-config',
  '--plugin-dir',
  '--verbose',
  '--debug',
];
const executionFlags: readonly LongFlag[] = ['--permission-mode', '--timeout'];
export const commandFlags = {
  plan: new Set<string | undefined>(planFlags),
  'plan run': new Set<string | undefined>([
    ...planFlags,
    ...executionFlags,
    '--output-format',
    '--include-partial-messages',
  ] satisfies readonly LongFlag[]),
  /** The flags that choose the provider. */
  models: new Set<string | undefined>(['--provider', '--base-url'] satisfies readonly LongFlag[]),
  'stack run': new Set<string | undefined>([...runFlags, ...executionFlags]),
  verify: new Set<string | undefined>([
    '--sandbox',
    '--allowed-tools',
    '--disallowed-tools',
    '--allowedTools',
    '--disallowedTools',
    '--permission-mode',
    '--add-dir',
    '--settings',
  ] satisfies readonly LongFlag[]),
  'mcp serve': new Set<string | undefined>([
    ...runFlags,
    '--permission-mode',
    '--strict-mcp-config',
    '--plugin-dir',
    '--no-session-persistence',
  ] satisfies readonly LongFlag[]),
} as const;

/**
 * The flags that the Agent SDK passes to its executable. `weft --help` does not show them.
 * weft ignores an unsupported flag if only an extra is lost, and refuses it if ignoring it would mislead the program that set it.
 * Each row says what the flag does, why weft ignores it, or why weft refuses it.
 */
export const sdkFlags = {
  works: [
    ['--allowedTools <rules...>', 'another name for --allowed-tools'],
    ['--disallowedTools <rules...>', 'another name for --disallowed-tools'],
    ['--replay-user-messages', 'echoes each prompt when weft starts on it'],
    ['--include-hook-events', 'reports each hook call'],
    ['--seed-messages', 'writes messages in an older form: error messages, and provider as the maker of the model'],
    ['--include-tool-progress', 'sends the output of running tools as tool_progress messages'],
    ['--max-budget-usd <usd>', 'another name for --max-cost', 'positive-number'],
    ['--tools <names>', 'the only tools to offer; empty for none, "default" for all'],
    ['--permission-prompt-tool <tool>', 'where approvals go: stdio (the program) or mcp__SERVER__TOOL (that tool)'],
    ['--permission-prompts <who>', 'host (default), or none: whatever would ask is denied'],
    ['--allow-dangerously-skip-permissions', 'lets the program choose bypassPermissions later'],
    ['--dangerously-skip-permissions', 'starts in the mode bypassPermissions'],
    ['--setting-sources <sources>', 'which of the user, project and local settings to read; empty for none'],
    ['--system-prompt-file <file>', '--system-prompt from a file'],
    ['--append-system-prompt-file <file>', '--append-system-prompt from a file'],
    ['--plan-mode-instructions <text>', 'adds instructions for plan mode to the system prompt'],
    ['--max-thinking-tokens <n>', 'the thinking budget; 0 turns thinking off', 'number-from-zero'],
    ['--thinking <how>', 'adaptive or disabled'],
    ['--resume-session-at <uuid>', 'with --resume: drops everything after that message'],
    ['--resume-drops-turn <uuid>', 'the only prompt that --resume-session-at may drop'],
    ['--name <title>', 'the title of a new session'],
    ['--debug-file <file>', 'the same as --debug=FILE'],
    ['--await-initialize', 'weft always waits for the first message'],
    ['--initialize-fields <names>', 'settings and disallowedTools come in the first message'],
    ['--forward-subagent-text', 'includes the texts of sub-agents, not only their tool calls'],
    ['--disable-slash-commands', 'turns off skills and commands from files'],
    ['--plugin-dir-no-mcp <dir>', '--plugin-dir without the MCP servers of the plugin', 'repeated'],
  ],
  ignored: [
    ['--betas <names>', "weft's requests need none"],
    ['--task-budget <tokens>', 'only a hint to the model; --max-cost and --max-turns limit a run'],
    ['--thinking-display <how>', 'weft shows thinking whenever the provider sends it'],
    ['--exclude-dynamic-system-prompt-sections', 'only keeps prompt caches valid for longer'],
    ['--system-prompt-snapshot <state>', 'only keeps prompt caches valid for longer'],
    ['--prompt-suggestions [state]', 'weft suggests prompts only in its terminal UI'],
    ['--enable-auth-status', 'weft has no account login to report on'],
  ],
  refused: [
    ['--plugin-url <url>', 'weft reads plugins from folders: --plugin-dir'],
    ['--project-config-root <dir>', 'weft reads project settings from the folder it starts in'],
    ['--session-mirror', 'weft saves sessions on this machine only'],
    ['--managed-settings <json>', 'weft has no managed settings yet'],
    ['--managed-settings-in-initialize', 'weft has no managed settings yet'],
    ['--channels <names>', 'weft has no channels yet'],
    ['--sdk-url <url>', 'programs drive weft over stdin and stdout'],
  ],
} as const;

/** The parsed value of a flag, by value type. */
export interface FlagValues {
  readonly 'model-names': readonly string[];
  readonly 'whole-number': number;
  readonly 'number-from-zero': number;
  readonly 'positive-number': number;
  readonly seconds: number;
  readonly repeated: readonly string[];
  readonly provider: string;
}

export type FlagRow = readonly [flag: string, about: string, value?: readonly string[] | keyof FlagValues];

/** The long name of a flag: `session-id` for `--session-id <uuid>`. */
type LongOf<Term> = Term extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}`
    ? Name
    : Rest
  : never;
/** The option that commander sets for a flag: `sessionId` for `--session-id <uuid>`. */
type NameOf<Term> = CamelCase<LongOf<Term>>;
type CamelCase<Text> = Text extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Text;

type ValueOf<Row extends FlagRow> = Row extends readonly [string, string, infer Value]
  ? Value extends readonly (infer Choice)[]
    ? Choice
    : FlagValues[Extract<Value, keyof FlagValues>]
  : Row[0] extends `${string}...>`
    ? readonly string[]
    : Row[0] extends `${string}<${string}`
      ? string
      : Row[0] extends `${string}[${string}`
        ? string | true
        : true;

type Flag = (typeof mainFlags | typeof sdkFlags.works)[number];
type GivenFlags = {readonly [Row in Flag as NameOf<Row[0]>]?: ValueOf<Row> | undefined};

/** The flags of weft without a command, as commander returns them. A flag that was not given is absent. */
export interface MainOptions extends Omit<GivenFlags, 'noSessionPersistence' | 'noColor'> {
  /** False with `--no-session-persistence`; `color` is false with `--no-color`. */
  readonly sessionPersistence: boolean;
  readonly color: boolean;
  /** The only skills to offer. Programs set this in their `initialize` request; there is no flag for it. */
  readonly skills?: readonly string[] | 'all' | undefined;
  /** The store given to `weft serve` or `weft worker`; otherwise WEFT_STORE applies. */
  readonly store?: string | undefined;
  /** With `resume`: continue in a branch that ends before this prompt. The terminal UI sets this for `/branch`. */
  readonly branchAt?: MessageId | 'end' | undefined;
  /** How a dry run holds changes back. There is no flag for it. */
  readonly heldBack?: 'view' | 'copy' | undefined;
  /** A folder of skills for this run, given by a program that runs a plan over HTTP. */
  readonly skillsPath?: string | undefined;
}

export function thinkingOf({thinking, maxThinkingTokens}: MainOptions): Thinking {
  if (thinking === 'disabled' || maxThinkingTokens === 0) return {kind: 'disabled'};
  if (maxThinkingTokens !== undefined) return {kind: 'budget', tokens: maxThinkingTokens};
  return {kind: thinking === 'adaptive' ? 'adaptive' : 'default'};
}

export interface FolderOption {
  readonly cwd?: string | undefined;
}

/** The flags that choose a settings file; without one, the user's. */
export interface SettingsFileOptions extends FolderOption {
  readonly user?: true;
  readonly project?: true;
  readonly local?: true;
}

/** True if the value of a flag is JSON itself and not the path of a JSON file. */
export const isInlineJson = (given: string): boolean => given.trimStart().startsWith('{');

/** Returns inline JSON unchanged, or the text of the file. `unreadable` makes the usage error for a file that can't be read. */
export function inlineOrFileText(given: string, unreadable: (why: string) => string): string {
  return isInlineJson(given) ? given : readTextFile(given, unreadable);
}

export function readTextFile(path: string, unreadable: (why: string) => string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(unreadable(causeText(cause)));
  }
}
