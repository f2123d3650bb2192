import {readFileSync} from 'node:fs';
import {keyProviders} from '../domain/api-key.ts';
import {causeText} from '../domain/fault.ts';
import type {Effort, Thinking} from '../domain/model-stream.ts';
import {permissionModes} from '../domain/risk.ts';
import {sandboxChoices} from '../domain/sandbox.ts';
import {UsageError} from './exit-code.ts';

const inputFormats = ['text', 'stream-json'] as const;
export const outputFormats = ['text', 'json', 'stream-json'] as const;
export const providerChoices = [...keyProviders, 'replay'] as const;

const agents = ['--agents <file-or-json>', 'More agents: {"NAME": {"description": "…", "prompt": "…"}}'] as const;
const pluginDir = ['--plugin-dir <dir>', 'Use a Claude plugin folder; may be given several times', 'paths'] as const;
/** Flags that commands have, too. */
export const sharedFlags = {agents, pluginDir} as const;

/** The flags of weft without a command, in the order of `weft --help`; behind what each is for, its choices or how it is read. */
export const mainFlags = [
  ['-p, --prompt <text>', 'Answer on stdout and exit; "-" reads the prompt from stdin'],
  ['--print', 'Answer on stdout and exit; the prompt comes from the arguments or stdin'],
  ['--output-format <format>', 'Format of stdout', outputFormats],
  ['--input-format <format>', 'Format of stdin', inputFormats],
  ['--include-partial-messages', 'With stream-json: include partial messages as they arrive'],
  ['--model <model>', 'Model to use'],
  ['--fallback-model <models>', 'Models that answer where the model cannot (a,b)', 'model-names'],
  ['--provider <name>', 'Provider of the model', providerChoices],
  ['--base-url <url>', 'Address of the provider'],
  ['--replay <file>', 'Replay a recorded model conversation'],
  ['--record <file>', 'Record the model conversation to a file'],
  ['--permission-mode <mode>', 'What may run without asking', permissionModes],
  ['--sandbox <how>', 'Confine what commands can reach (default: auto)', sandboxChoices],
  ['--allowed-tools <rules...>', 'Allow without asking, such as "Bash(git status:*)" "Edit(src/**)"'],
  ['--disallowed-tools <rules...>', 'Never allow'],
  ['--max-turns <n>', 'Most model requests per prompt', 'whole-number'],
  ['--max-cost <usd>', 'Stop before the session costs more', 'positive-number'],
  ['--timeout <seconds>', 'Without the terminal UI: stop after this time (exit code 124)', 'seconds'],
  ['-c, --continue', 'Continue the newest session of this folder'],
  ['-r, --resume [session]', 'Resume a session; without an id, choose one'],
  ['--session-id <uuid>', 'Id of the new session'],
  ['--fork-session', 'With --continue or --resume: continue in a copy'],
  ['--no-session-persistence', 'Do not save this session'],
  ['-C, --cwd <dir>', 'Work in this folder'],
  ['--add-dir <dir...>', 'Add folders to the workspace'],
  ['--system-prompt <text>', 'Replace the system prompt'],
  ['--append-system-prompt <text>', 'Append to the system prompt'],
  ['--agent <name>', 'Act as this agent: its prompt, tools and model'],
  agents,
  ['--worktree [name]', 'Work in a git worktree of its own, which begins with what is not committed'],
  ['--json-schema <file-or-json>', 'Without the terminal UI: answer with JSON that fits this schema'],
  ['--settings <file-or-json>', 'Settings that override the settings files'],
  ['--mcp-config <files-or-json...>', 'MCP servers besides those of the settings'],
  ['--strict-mcp-config', 'Only the MCP servers of --mcp-config'],
  pluginDir,
  ['--verbose', 'Print the model in use to stderr'],
  ['--debug', 'Without the terminal UI: log events as JSON lines to stderr'],
  ['--accessible', 'Screen reader mode: plain lines, nothing is redrawn'],
  ['--fullscreen', 'Full-screen terminal UI instead of the scrollback'],
  ['--no-color', 'No colors'],
] as const;

type LongFlag = `--${LongOf<(typeof mainFlags)[number][0]>}` | '--allowedTools' | '--disallowedTools';

const sharedByRuns: readonly LongFlag[] = [
  '--model',
  '--fallback-model',
  '--provider',
  '--base-url',
  '--sandbox',
  '--allowed-tools',
  '--disallowed-tools',
  '--allowedTools',
  '--disallowedTools',
  '--max-turns',
  '--max-cost',
  '--cwd',
  '--add-dir',
  '--settings',
  '--mcp-config',
];
const ofPlan: readonly LongFlag[] = [
  ...sharedByRuns,
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
const ofExecution: readonly LongFlag[] = ['--permission-mode', '--timeout'];
/** The flags above that commands take, too. */
export const commandFlags = {
  plan: new Set<string | undefined>(ofPlan),
  'plan run': new Set<string | undefined>([
    ...ofPlan,
    ...ofExecution,
    '--output-format',
    '--include-partial-messages',
  ] satisfies readonly LongFlag[]),
  'stack run': new Set<string | undefined>([...sharedByRuns, ...ofExecution]),
} as const;

/**
 * The flags with which the Agent SDK starts its executable, which `weft --help` does not show. One that weft cannot honour yet is ignored
 * where that only takes an extra away, and refused where ignoring it would mislead the program that set it. Each has what it does, why
 * it may be ignored, or why it is refused.
 */
export const sdkFlags = {
  works: [
    ['--allowedTools <rules...>', ''],
    ['--disallowedTools <rules...>', ''],
    ['--replay-user-messages', 'echoes each prompt when it is taken up'],
    ['--include-hook-events', 'tells of each call of a hook'],
    ['--include-tool-progress', "tool_progress messages with tools' output as it comes"],
    ['--max-budget-usd <usd>', '--max-cost by its other name', 'positive-number'],
    ['--tools <names>', 'the only tools there are; empty for none, "default" for all'],
    ['--permission-prompt-tool <tool>', 'who answers approvals. stdio: the program; mcp__SERVER__TOOL: that tool'],
    ['--permission-prompts <who>', 'host (default), or none: what would be asked is denied'],
    ['--allow-dangerously-skip-permissions', 'bypassPermissions may be chosen later'],
    ['--dangerously-skip-permissions', 'starts in the mode bypassPermissions'],
    ['--setting-sources <sources>', 'which of user,project,local are read; empty for none'],
    ['--system-prompt-file <file>', '--system-prompt from a file'],
    ['--append-system-prompt-file <file>', '--append-system-prompt from a file'],
    ['--plan-mode-instructions <text>', 'goes into the system prompt'],
    ['--max-thinking-tokens <n>', 'how much the model may think', 'number-from-zero'],
    ['--effort <level>', 'how much the model puts into its answer, where it can be told', 'effort'],
    ['--thinking <how>', 'adaptive or disabled'],
    ['--resume-session-at <uuid>', 'what came behind that message does not count'],
    ['--resume-drops-turn <uuid>', 'the only prompt that --resume-session-at may drop'],
    ['--name <title>', 'the title of a new session'],
    ['--debug-file <file>', '--debug into a file'],
    ['--await-initialize', 'weft always waits for the first message'],
    ['--initialize-fields <names>', 'settings and disallowedTools come in the first message'],
    ['--forward-subagent-text', 'tells the texts of sub-agents, beside their calls'],
    ['--disable-slash-commands', 'there are no skills and no commands from files'],
    ['--plugin-dir-no-mcp <dir>', '--plugin-dir without the MCP servers of the plugin', 'paths'],
  ],
  ignored: [
    ['--betas <names>', "weft's requests need none"],
    ['--task-budget <tokens>', 'a hint to the model; --max-cost and --max-turns bound a run'],
    ['--thinking-display <how>', 'thinking is told wherever the provider tells it'],
    ['--exclude-dynamic-system-prompt-sections', 'only makes caches last longer'],
    ['--system-prompt-snapshot <state>', 'only makes caches last longer'],
    ['--prompt-suggestions [state]', 'weft suggests no prompts'],
    ['--enable-auth-status', 'there is no log-in that could have a status'],
  ],
  refused: [
    ['--plugin-url <url>', 'weft reads plugins from folders: --plugin-dir'],
    ['--project-config-root <dir>', 'the settings of a project are read where weft starts'],
    ['--session-mirror', 'sessions are kept on this machine alone'],
    ['--managed-settings <json>', 'weft has no managed settings yet'],
    ['--managed-settings-in-initialize', 'weft has no managed settings yet'],
    ['--channels <names>', 'weft has no channels yet'],
    ['--sdk-url <url>', 'weft is driven over stdin and stdout'],
  ],
} as const;

/** What the value of a flag is once it is read. */
export interface FlagValues {
  readonly 'model-names': readonly string[];
  readonly 'whole-number': number;
  readonly 'number-from-zero': number;
  readonly 'positive-number': number;
  readonly seconds: number;
  readonly paths: readonly string[];
  readonly effort: Effort;
}

export type FlagRow = readonly [flag: string, about: string, value?: readonly string[] | keyof FlagValues];

/** A row's long name: `session-id` of `--session-id <uuid>`. */
type LongOf<Term> = Term extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}`
    ? Name
    : Rest
  : never;
/** A row's name among the options: `sessionId` of `--session-id <uuid>`. */
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
type Given = {readonly [Row in Flag as NameOf<Row[0]>]?: ValueOf<Row> | undefined};

/** The flags of weft without a command, as commander hands them over; an absent one was not given. */
export interface MainOptions extends Omit<Given, 'noSessionPersistence' | 'noColor'> {
  /** `--no-session-persistence` and `--no-color` make these false. */
  readonly sessionPersistence: boolean;
  readonly color: boolean;
  /** The only skills that the model is told of; programs say it in their greeting, there is no flag. */
  readonly skills?: readonly string[] | 'all' | undefined;
  /** Where everything is kept, if `weft serve` or `weft worker` was told; else WEFT_STORE counts. */
  readonly store?: string | undefined;
  /** A folder of skills for this run, if a program that runs a plan over HTTP has named one. */
  readonly skillsPath?: string | undefined;
}

export function thinkingOf({thinking, maxThinkingTokens}: MainOptions): Thinking {
  if (thinking === 'disabled' || maxThinkingTokens === 0) return {kind: 'disabled'};
  if (maxThinkingTokens !== undefined) return {kind: 'budget', tokens: maxThinkingTokens};
  return {kind: thinking === 'adaptive' ? 'adaptive' : 'default'};
}

export interface InFolder {
  readonly cwd?: string | undefined;
}

/** Which settings file is meant; the user's where none is named. */
export interface InFile extends InFolder {
  readonly user?: true;
  readonly project?: true;
  readonly local?: true;
}

/** True for the value of a flag that is JSON itself and not the path of a file with it. */
export const isInline = (given: string): boolean => given.trimStart().startsWith('{');

/** The text that a flag gives: JSON, or the path of a file. The usage error of a file that cannot be read is made of why. */
export function givenText(given: string, unreadable: (why: string) => string): string {
  return isInline(given) ? given : fileText(given, unreadable);
}

export function fileText(path: string, unreadable: (why: string) => string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(unreadable(causeText(cause)));
  }
}
