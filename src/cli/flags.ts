import {Argument, InvalidArgumentError, Option, type Command} from 'commander';
import {inputFormats, outputFormats, providerChoices} from '../app/main-options.ts';
import {type Effort, efforts} from '../domain/model-stream.ts';
import {mostFallbacks} from '../domain/model-fallback.ts';
import {type PermissionMode, permissionModes} from '../domain/risk.ts';
import {sandboxChoices} from '../domain/sandbox.ts';

/** Adds the flags of weft without a command. */
export function addMainFlags(program: Command): void {
  program
    .option('-p, --prompt <text>', 'Answer on stdout and exit; "-" reads the prompt from stdin')
    .option('--print', 'Answer on stdout and exit; the prompt comes from the arguments or stdin')
    .addOption(new Option('--output-format <format>', 'Format of stdout').choices(outputFormats))
    .addOption(new Option('--input-format <format>', 'Format of stdin').choices(inputFormats))
    .option('--include-partial-messages', 'With stream-json: include partial messages as they arrive')
    .option('--model <model>', 'Model to use')
    .option('--fallback-model <models>', 'Models that answer where the model cannot (a,b)', modelNames)
    .addOption(new Option('--provider <name>', 'Provider of the model').choices(providerChoices))
    .option('--base-url <url>', 'Address of the provider')
    .option('--replay <file>', 'Replay a recorded model conversation')
    .option('--record <file>', 'Record the model conversation to a file')
    .addOption(
      new Option('--permission-mode <mode>', 'What may run without asking')
        .choices(permissionModes)
        .argParser(permissionMode),
    )
    .addOption(new Option('--sandbox <how>', 'Confine what commands can reach (default: auto)').choices(sandboxChoices))
    .addOption(
      new Option('--allowed-tools <rules...>', 'Allow without asking, such as "Bash(git status:*)" "Edit(src/**)"'),
    )
    .addOption(new Option('--disallowed-tools <rules...>', 'Never allow'))
    .addOption(new Option('--allowedTools <rules...>').hideHelp())
    .addOption(new Option('--disallowedTools <rules...>').hideHelp())
    .option('--max-turns <n>', 'Most model requests per prompt', wholeNumber)
    .option('--max-cost <usd>', 'Stop before the session costs more', positiveNumber)
    .option('--timeout <seconds>', 'Without the terminal UI: stop after this time (exit code 124)', seconds)
    .option('-c, --continue', 'Continue the newest session of this folder')
    .option('-r, --resume [session]', 'Resume a session; without an id, choose one')
    .option('--session-id <uuid>', 'Id of the new session')
    .option('--fork-session', 'With --continue or --resume: continue in a copy')
    .option('--no-session-persistence', 'Do not save this session')
    .option('-C, --cwd <dir>', 'Work in this folder')
    .option('--add-dir <dir...>', 'Add folders to the workspace')
    .option('--system-prompt <text>', 'Replace the system prompt')
    .option('--append-system-prompt <text>', 'Append to the system prompt')
    .option('--agent <name>', 'Act as this agent: its prompt, tools and model')
    .option(...agentsFlag)
    .option('--worktree [name]', 'Work in a git worktree of its own, which begins with what is not committed')
    .option('--json-schema <file-or-json>', 'Without the terminal UI: answer with JSON that fits this schema')
    .option('--settings <file-or-json>', 'Settings that override the settings files')
    .option('--mcp-config <files-or-json...>', 'MCP servers besides those of the settings')
    .option('--strict-mcp-config', 'Only the MCP servers of --mcp-config')
    .addOption(pluginFlag)
    .option('--verbose', 'Print the model in use to stderr')
    .option('--debug', 'Without the terminal UI: log events as JSON lines to stderr')
    .option('--accessible', 'Screen reader mode: plain lines, nothing is redrawn')
    .option('--fullscreen', 'Full-screen terminal UI instead of the scrollback')
    .option('--no-color', 'No colors');
  for (const {flags, why, value} of sdkFlags) {
    const option = new Option(flags, why).hideHelp();
    program.addOption(value === undefined ? option : option.argParser(value));
  }
}

/**
 * A flag with which the Agent SDK starts its executable. `weft --help` does not show these: it is for people. A flag that weft cannot
 * honour yet is ignored where that only takes an extra away, and refused where ignoring it would mislead the program that set it.
 */
interface SdkFlag {
  readonly flags: string;
  readonly effect: 'works' | 'ignored' | 'refused';
  /** What it does, why it may be ignored, or why it is refused. */
  readonly why: string;
  readonly value?: (text: string, before: unknown) => number | Effort | readonly string[];
}

export const sdkFlags: readonly SdkFlag[] = [
  {flags: '--replay-user-messages', effect: 'works', why: 'echoes each prompt when it is taken up'},
  {flags: '--include-hook-events', effect: 'works', why: 'tells of each call of a hook'},
  {flags: '--include-tool-progress', effect: 'works', why: "tool_progress messages with tools' output as it comes"},
  {flags: '--max-budget-usd <usd>', effect: 'works', why: '--max-cost by its other name', value: positiveNumber},
  {flags: '--tools <names>', effect: 'works', why: 'the only tools there are; empty for none, "default" for all'},
  {
    flags: '--permission-prompt-tool <tool>',
    effect: 'works',
    why: 'who answers approvals. stdio: the program; mcp__SERVER__TOOL: that tool',
  },
  {flags: '--permission-prompts <who>', effect: 'works', why: 'host (default), or none: what would be asked is denied'},
  {flags: '--allow-dangerously-skip-permissions', effect: 'works', why: 'bypassPermissions may be chosen later'},
  {flags: '--dangerously-skip-permissions', effect: 'works', why: 'starts in the mode bypassPermissions'},
  {flags: '--setting-sources <sources>', effect: 'works', why: 'which of user,project,local are read; empty for none'},
  {flags: '--system-prompt-file <file>', effect: 'works', why: '--system-prompt from a file'},
  {flags: '--append-system-prompt-file <file>', effect: 'works', why: '--append-system-prompt from a file'},
  {flags: '--plan-mode-instructions <text>', effect: 'works', why: 'goes into the system prompt'},
  {flags: '--max-thinking-tokens <n>', effect: 'works', why: 'how much the model may think', value: countFromZero},
  {
    flags: '--effort <level>',
    effect: 'works',
    why: 'how much the model puts into its answer, where it can be told',
    value: effort,
  },
  {flags: '--thinking <how>', effect: 'works', why: 'adaptive or disabled'},
  {flags: '--resume-session-at <uuid>', effect: 'works', why: 'what came behind that message does not count'},
  {flags: '--resume-drops-turn <uuid>', effect: 'works', why: 'the only prompt that --resume-session-at may drop'},
  {flags: '--name <title>', effect: 'works', why: 'the title of a new session'},
  {flags: '--debug-file <file>', effect: 'works', why: '--debug into a file'},
  {flags: '--await-initialize', effect: 'works', why: 'weft always waits for the first message'},
  {
    flags: '--initialize-fields <names>',
    effect: 'works',
    why: 'settings and disallowedTools come in the first message',
  },

  {flags: '--betas <names>', effect: 'ignored', why: "weft's requests need none"},
  {
    flags: '--task-budget <tokens>',
    effect: 'ignored',
    why: 'a hint to the model; --max-cost and --max-turns bound a run',
  },
  {flags: '--thinking-display <how>', effect: 'ignored', why: 'thinking is told wherever the provider tells it'},
  {flags: '--exclude-dynamic-system-prompt-sections', effect: 'ignored', why: 'only makes caches last longer'},
  {flags: '--system-prompt-snapshot <state>', effect: 'ignored', why: 'only makes caches last longer'},
  {flags: '--prompt-suggestions [state]', effect: 'ignored', why: 'weft suggests no prompts'},
  {flags: '--forward-subagent-text', effect: 'works', why: 'tells the texts of sub-agents, beside their calls'},
  {flags: '--enable-auth-status', effect: 'ignored', why: 'there is no log-in that could have a status'},
  {flags: '--disable-slash-commands', effect: 'works', why: 'there are no skills and no commands from files'},

  {
    flags: '--plugin-dir-no-mcp <dir>',
    effect: 'works',
    why: '--plugin-dir without the MCP servers of the plugin',
    value: everyPath,
  },
  {flags: '--plugin-url <url>', effect: 'refused', why: 'weft reads plugins from folders: --plugin-dir'},
  {
    flags: '--project-config-root <dir>',
    effect: 'refused',
    why: 'the settings of a project are read where weft starts',
  },
  {flags: '--session-mirror', effect: 'refused', why: 'sessions are kept on this machine alone'},
  {flags: '--managed-settings <json>', effect: 'refused', why: 'weft has no managed settings yet'},
  {flags: '--managed-settings-in-initialize', effect: 'refused', why: 'weft has no managed settings yet'},
  {flags: '--channels <names>', effect: 'refused', why: 'weft has no channels yet'},
  {flags: '--sdk-url <url>', effect: 'refused', why: 'weft is driven over stdin and stdout'},
];

export const agentsFlag = [
  '--agents <file-or-json>',
  'More agents: {"NAME": {"description": "…", "prompt": "…"}}',
] as const;

/** Names a plugin folder. */
export const pluginFlag = new Option(
  '--plugin-dir <dir>',
  'Use a Claude plugin folder; may be given several times',
).argParser(everyPath);

/** The value of a flag that may be given several times. */
function everyPath(text: string, before: unknown): readonly string[] {
  return [...(Array.isArray(before) ? before.map(String) : []), text];
}

function modelNames(text: string): readonly string[] {
  const names = text.split(',').map(name => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('It must be the names of models, with commas between them.');
  if (names.length > mostFallbacks) throw new InvalidArgumentError(`It may name ${mostFallbacks} models at most.`);
  return names;
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/u.test(text) || Number(text) < 1) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(text);
}

function countFromZero(text: string): number {
  if (!/^\d+$/u.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return Number(text);
}

/** What a timer can hold: about 24 days. */
const mostSeconds = 2_000_000;

function seconds(text: string): number {
  const value = positiveNumber(text);
  if (value > mostSeconds) throw new InvalidArgumentError(`It must be at most ${mostSeconds}.`);
  return value;
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError('It must be a number above 0.');
  }
  return value;
}

/** `manual` is what programs call `default`. */
function permissionMode(text: string): PermissionMode {
  const mode = permissionModes.find(name => name === (text === 'manual' ? 'default' : text));
  if (mode === undefined) throw new InvalidArgumentError(`Allowed choices are ${permissionModes.join(', ')}.`);
  return mode;
}

function effort(text: string): Effort {
  const level = efforts.find(name => name === text);
  if (level === undefined) throw new InvalidArgumentError(`Allowed choices are ${efforts.join(', ')}.`);
  return level;
}

/** Flags that several commands take, as commander hands them over. */
export interface JsonOption {
  readonly json?: true;
}

export const jsonFlag = ['--json', 'Print JSON'] as const;

export const folderFlag = ['--cwd <dir>', 'Folder to look at instead of the current one'] as const;

/** The flags that name a settings file. */
export const fileFlags = [
  ['--user', 'Your own settings (default)'],
  ['--project', 'Settings of the project, shared: .weft/settings.json'],
  ['--local', 'Settings of the project, only for you: .weft/settings.local.json'],
  folderFlag,
] as const;

/** An argument (`<name>`, `[name]`) or an option. */
type Word = Argument | Option | readonly [term: string, about: string];

/** A subcommand with its arguments and options. */
type Subcommand = readonly [
  name: string,
  about: string,
  words: readonly Word[],
  action: Parameters<Command['action']>[0],
];

export function addSubcommands(parent: Command, rows: readonly Subcommand[]): void {
  for (const [name, about, words, action] of rows) addWords(parent.command(name).description(about), words, action);
}

/** Gives a command its arguments and options. */
export function addWords(command: Command, words: readonly Word[], action: Subcommand[3]): void {
  for (const word of words) {
    if (word instanceof Option) command.addOption(word);
    else if (word instanceof Argument) command.addArgument(word);
    else if (/^[<[]/u.test(word[0])) command.argument(...word);
    else command.option(...word);
  }
  command.action(action);
}
