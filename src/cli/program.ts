import {Command, InvalidArgumentError, Option} from 'commander';
import {UsageError} from './usage-error.ts';
import {permissionModes, type PermissionMode} from '../domain/risk.ts';

export const outputFormats = ['text', 'json', 'stream-json'] as const;
export const providers = ['anthropic', 'openai', 'replay'] as const;
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** The options of the main command as commander hands them over; an absent option was not given. */
export interface MainOptions {
  readonly prompt?: string;
  readonly print?: true;
  readonly outputFormat?: (typeof outputFormats)[number];
  readonly includePartialMessages?: true;
  readonly model?: string;
  readonly provider?: (typeof providers)[number];
  readonly baseUrl?: string;
  readonly replay?: string;
  readonly record?: string;
  readonly permissionMode?: PermissionMode;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly maxTurns?: number;
  readonly maxCost?: number;
  readonly timeout?: number;
  readonly continue?: true;
  readonly resume?: string | true;
  readonly sessionId?: string;
  readonly forkSession?: true;
  /** `--no-session-persistence` makes it false. */
  readonly sessionPersistence: boolean;
  readonly cwd?: string;
  readonly addDir?: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly settings?: string;
  readonly verbose?: true;
  readonly debug?: true;
  /** `--no-color` makes it false. */
  readonly color: boolean;
}

/** What each command does; the program itself only reads the command line. */
export interface Handlers {
  readonly main: (prompt: readonly string[], options: MainOptions) => Promise<void>;
  readonly demo: (options: {readonly dir?: string}) => Promise<void>;
  readonly sessionsList: (options: JsonOption) => Promise<void>;
  readonly sessionsShow: (id: string, options: JsonOption) => Promise<void>;
  readonly sessionsExport: (id: string, options: {readonly format: 'jsonl' | 'markdown'}) => Promise<void>;
  readonly sessionsDelete: (id: string, options: JsonOption) => Promise<void>;
  readonly doctor: (options: JsonOption) => Promise<void>;
  readonly completion: (shell: (typeof shells)[number]) => Promise<void>;
}

export interface JsonOption {
  readonly json?: true;
}

/** The command line of weft as a commander program. Completions and help are made from it. */
export function makeProgram(version: string, handlers: Handlers): Command {
  const program = new Command('weft')
    .description('A coding agent for the terminal and for pipes.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .argument('[prompt...]', 'sent at once; without a prompt the terminal UI waits for one')
    .enablePositionalOptions()
    .configureOutput({outputError: (text, write) => write(text.replace(/^error: /u, 'weft: '))})
    .showHelpAfterError('(weft --help lists the options)')
    .configureHelp({sortSubcommands: false});
  addMainOptions(program);
  program.action((prompt: readonly string[], options: MainOptions) => handlers.main(prompt, options));

  program
    .command('demo')
    .description('the main job, offline: an agent repairs a small project in a temporary folder')
    .option('--dir <dir>', 'lay the project out here instead (a new or empty folder)')
    .action(handlers.demo);

  const sessions = program.command('sessions').description('the conversations that are kept');
  sessions.command('list').description('newest first').option('--json', 'as JSON').action(handlers.sessionsList);
  sessions
    .command('show')
    .description('print a conversation')
    .argument('<id>')
    .option('--json', 'as JSON')
    .action(handlers.sessionsShow);
  sessions
    .command('export')
    .description('write a conversation to stdout')
    .argument('<id>')
    .addOption(new Option('--format <format>', 'the form').choices(['jsonl', 'markdown']).default('jsonl'))
    .action(handlers.sessionsExport);
  sessions
    .command('delete')
    .description('delete a conversation')
    .argument('<id>')
    .option('--json', 'as JSON')
    .action(handlers.sessionsDelete);

  program
    .command('doctor')
    .description('what works on this machine')
    .option('--json', 'as JSON')
    .action(handlers.doctor);

  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(program.createArgument('<shell>', 'the shell').choices([...shells]))
    .action(handlers.completion);
  for (const name of commandsToCome) {
    program
      .command(name, {hidden: true})
      .argument('[words...]')
      .allowUnknownOption()
      .helpOption(false)
      .action(() => {
        throw new UsageError(`weft ${name} is not built yet in this version.`);
      });
  }
  return program;
}

/** Names the command line contract has for later; until then they must not reach the model as a prompt. */
const commandsToCome = ['tasks', 'permissions', 'config'];

function addMainOptions(program: Command): void {
  program
    .option('-p, --prompt <text>', 'answer on stdout and exit; "-" reads the prompt from stdin')
    .option('--print', 'answer on stdout and exit; the prompt is the arguments or stdin')
    .addOption(new Option('--output-format <format>', 'what stdout carries').choices(outputFormats))
    .option('--include-partial-messages', 'with stream-json: also the pieces of messages as they come')
    .option('--model <id>', 'the model')
    .addOption(new Option('--provider <name>', 'who serves the model').choices(providers))
    .option('--base-url <url>', "the provider's address")
    .option('--replay <file>', 'play a recorded model conversation')
    .option('--record <file>', 'record the model conversation')
    .addOption(new Option('--permission-mode <mode>', 'what may happen without asking').choices(permissionModes))
    .addOption(
      new Option('--allowed-tools <rules...>', 'allow without asking, e.g. "Bash(git status:*)" "Edit(src/**)"'),
    )
    .addOption(new Option('--disallowed-tools <rules...>', 'forbid'))
    .addOption(new Option('--allowedTools <rules...>').hideHelp())
    .addOption(new Option('--disallowedTools <rules...>').hideHelp())
    .option('--max-turns <n>', 'most model requests for one prompt', wholeNumber)
    .option('--max-cost <usd>', 'stop before the session costs more', positiveNumber)
    .option('--timeout <seconds>', 'without the terminal UI: stop after this time (exit code 124)', seconds)
    .option('-c, --continue', 'go on with the newest session of this folder')
    .option('-r, --resume [id]', 'go on with a session; without an id, choose one')
    .option('--session-id <uuid>', 'the id of the new session')
    .option('--fork-session', 'with --continue or --resume: go on in a copy')
    .option('--no-session-persistence', 'keep nothing of this session')
    .option('-C, --cwd <dir>', 'work in this folder')
    .option('--add-dir <dir...>', 'more folders that belong to the workspace')
    .option('--system-prompt <text>', "instead of weft's own system prompt")
    .option('--append-system-prompt <text>', 'after the system prompt')
    .option('--settings <file-or-json>', 'settings on top of the settings files')
    .option('--verbose', 'say on stderr which model answers')
    .option('--debug', 'without the terminal UI: what happens, as JSON lines on stderr')
    .option('--no-color', 'no colours');
}

function wholeNumber(text: string): number {
  if (!/^\d+$/u.test(text) || Number(text) < 1) throw new InvalidArgumentError('It must be a whole number from 1 on.');
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
