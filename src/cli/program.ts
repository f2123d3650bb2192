import {addConfig, type ConfigHandlers} from './config-program.ts';
import {fileFlags, type InFile, type InFolder, type JsonOption} from './place-options.ts';
import {Command, Option} from 'commander';
import {print, printError} from './say.ts';
import {permissionMode, positiveNumber, seconds, wholeNumber} from './option-values.ts';
import {programOptions, type ProgramOptions} from './program-flags.ts';
import {permissionModes, ruleLists, type PermissionMode, type RuleList} from '../domain/risk.ts';

const inputFormats = ['text', 'stream-json'] as const;
export const outputFormats = ['text', 'json', 'stream-json'] as const;
export const providers = ['anthropic', 'openai', 'replay'] as const;
export const taskInputs = ['auto', 'base64', 'json', 'sse'] as const;
export const taskOutputs = ['base64', 'json', 'sse'] as const;
export const transformTargets = ['openai', 'anthropic'] as const;
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** The options of the main command as commander hands them over; an absent option was not given. */
export interface MainOptions extends ProgramOptions {
  readonly prompt?: string;
  readonly print?: true;
  readonly outputFormat?: (typeof outputFormats)[number];
  readonly inputFormat?: (typeof inputFormats)[number];
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
  readonly jsonSchema?: string;
  readonly settings?: string;
  readonly verbose?: true;
  readonly debug?: true;
  /** `--no-color` makes it false. */
  readonly fullscreen?: true;
  readonly accessible?: true;
  readonly color: boolean;
}

/** What each command does; the program itself only reads the command line. */
export interface Handlers extends ConfigHandlers {
  readonly main: (prompt: readonly string[], options: MainOptions) => Promise<void>;
  readonly demo: (options: {readonly dir?: string}) => Promise<void>;
  readonly sessionsList: (options: JsonOption) => Promise<void>;
  readonly sessionsShow: (id: string, options: JsonOption) => Promise<void>;
  readonly sessionsExport: (id: string, options: {readonly format: 'jsonl' | 'markdown'}) => Promise<void>;
  readonly sessionsRewind: (id: string, options: RewindOptions) => Promise<void>;
  readonly sessionsDelete: (id: string, options: JsonOption) => Promise<void>;
  readonly ps: (options: {readonly json?: true; readonly stop?: string}) => Promise<void>;
  readonly doctor: (options: JsonOption) => Promise<void>;
  readonly tasksDecode: (file: string | undefined, options: {readonly input: TaskInput}) => Promise<void>;
  readonly tasksWatch: (file: string | undefined, options: JsonOption) => Promise<void>;
  readonly tasksEncode: (file: string | undefined, options: {readonly output: TaskOutput}) => Promise<void>;
  readonly tasksTransform: (file: string | undefined, options: {readonly to: TransformTarget}) => Promise<void>;
  readonly permissionsClasses: (options: JsonOption) => Promise<void>;
  readonly permissionsCheck: (
    words: readonly string[],
    options: JsonOption & InFolder & {readonly permissionMode?: PermissionMode},
  ) => Promise<void>;
  readonly permissionsList: (options: JsonOption & InFolder & {readonly classes?: true}) => Promise<void>;
  readonly permissionsAdd: (list: RuleList, rule: string, options: InFile) => Promise<void>;
  readonly permissionsRemove: (list: RuleList, rule: string, options: InFile) => Promise<void>;
  readonly permissionsTrust: (options: InFolder & {readonly yes?: true}) => Promise<void>;
  readonly permissionsUntrust: (options: InFolder) => Promise<void>;
  readonly completion: (shell: (typeof shells)[number]) => Promise<void>;
}

export type TaskInput = (typeof taskInputs)[number];
export type TaskOutput = (typeof taskOutputs)[number];
export type TransformTarget = (typeof transformTargets)[number];

export interface RewindOptions {
  /** The number of the prompt to go back to before; the last one where it is not given. */
  readonly to?: number;
  readonly files?: true;
  readonly talk?: true;
  readonly both?: true;
  readonly redo?: true;
  readonly yes?: true;
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
    .configureOutput({
      writeOut: print,
      writeErr: printError,
      outputError: (text, write) => write(text.replace(/^error: /u, 'weft: ')),
    })
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
    .command('rewind')
    .description('go back to before a prompt: its files, what was said, or both')
    .argument('<id>')
    .option('--to <n>', 'before the n-th prompt; else the last', wholeNumber)
    .option('--files', 'the files only')
    .option('--talk', 'the conversation only')
    .option('--both', 'files and conversation (default)')
    .option('--redo', 'take the last rewind back')
    .option('--yes', 'without asking')
    .option('--json', 'as JSON')
    .action(handlers.sessionsRewind);
  sessions
    .command('delete')
    .description('delete a conversation')
    .argument('<id>')
    .option('--json', 'as JSON')
    .action(handlers.sessionsDelete);

  program
    .command('ps')
    .description('commands of weft that run beside a conversation, or outlived it')
    .option('--json', 'as JSON')
    .option('--stop <id>', 'end one, with all it started')
    .action(handlers.ps);

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
  addTasks(program, handlers);
  addPermissions(program, handlers);
  addConfig(program, handlers);
  return program;
}

function addPermissions(program: Command, handlers: Handlers): void {
  const permissions = program
    .command('permissions')
    .description('what may happen without asking: rules, and trust in a folder')
    .enablePositionalOptions()
    .option('--list', 'every class of actions that may be asked about')
    .option('--json', 'as JSON')
    .action(({list, ...options}: JsonOption & {readonly list?: true}, command: Command) => {
      if (list === undefined) command.help({error: true});
      return handlers.permissionsClasses(options);
    });
  const folder = ['--cwd <dir>', 'the folder it is about'] as const;
  permissions
    .command('check')
    .description('the verdict on a shell command, or on each of many: JSON lines on stdin')
    .argument('[command...]', 'the command; where the first word holds a space, each word is a command')
    .option('--json', 'one JSON object a line')
    .option(...folder)
    .addOption(new Option('--permission-mode <mode>', 'what may happen without asking').choices(permissionModes))
    .allowUnknownOption()
    .helpOption('--help', 'show this help')
    .action(handlers.permissionsCheck);
  permissions
    .command('list')
    .description('the rules of the settings files')
    .option('--classes', 'instead: every class of actions that may be asked about')
    .option('--json', 'as JSON')
    .option(...folder)
    .action(handlers.permissionsList);
  const changes = [
    ['add', 'write a rule into a settings file', handlers.permissionsAdd],
    ['remove', 'take a rule out of a settings file', handlers.permissionsRemove],
  ] as const;
  for (const [name, description, handler] of changes) {
    permissions
      .command(name)
      .description(description)
      .addArgument(program.createArgument('<list>', 'what the rule does').choices([...ruleLists]))
      .argument('<rule>', 'such as "Bash(git status:*)" or "Edit(src/**)"')
      .option(...fileFlags.user)
      .option(...fileFlags.project)
      .option(...fileFlags.local)
      .option(...folder)
      .action(handler);
  }
  permissions
    .command('trust')
    .description('show what the settings of the folder want, and accept it')
    .option('--yes', 'without asking')
    .option(...folder)
    .action(handlers.permissionsTrust);
  permissions
    .command('untrust')
    .description('take the trust back')
    .option(...folder)
    .action(handlers.permissionsUntrust);
}

function addTasks(program: Command, handlers: Handlers): void {
  const tasks = program
    .command('tasks')
    .description('the task protocol: streams of agents, and the todo lists in them');
  const fromFile = 'read this; without it, or as "-", stdin';
  tasks
    .command('decode')
    .description('each payload or event as JSON, one a line')
    .argument('[file]', fromFile)
    .addOption(new Option('--input <form>', 'what is read').choices(taskInputs).default('auto'))
    .action(handlers.tasksDecode);
  tasks
    .command('watch')
    .description('the todo list, live')
    .argument('[file]', fromFile)
    .option('--json', 'the list as one line of JSON after each change, as without a terminal')
    .action(handlers.tasksWatch);
  tasks
    .command('encode')
    .description('todo lists, one {"todos":[...]} a line, as events of the task protocol')
    .argument('[file]', fromFile)
    .addOption(new Option('--output <form>', 'what is written').choices(taskOutputs).default('base64'))
    .action(handlers.tasksEncode);
  tasks
    .command('transform')
    .description('an event stream as the stream of another API (SSE)')
    .addOption(new Option('--to <api>', 'whose').choices(transformTargets).makeOptionMandatory())
    .argument('[file]', fromFile)
    .action(handlers.tasksTransform);
}

function addMainOptions(program: Command): void {
  program
    .option('-p, --prompt <text>', 'answer on stdout and exit; "-" reads the prompt from stdin')
    .option('--print', 'answer on stdout and exit; the prompt is the arguments or stdin')
    .addOption(new Option('--output-format <format>', 'what stdout carries').choices(outputFormats))
    .addOption(new Option('--input-format <format>', 'what stdin carries').choices(inputFormats))
    .option('--include-partial-messages', 'with stream-json: also the pieces of messages as they come')
    .option('--model <id>', 'the model')
    .addOption(new Option('--provider <name>', 'who serves the model').choices(providers))
    .option('--base-url <url>', "the provider's address")
    .option('--replay <file>', 'play a recorded model conversation')
    .option('--record <file>', 'record the model conversation')
    .addOption(
      new Option('--permission-mode <mode>', 'what may happen without asking')
        .choices(permissionModes)
        .argParser(permissionMode),
    )
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
    .option('--json-schema <file-or-json>', 'without the terminal UI: the answer is JSON that fits this schema')
    .option('--settings <file-or-json>', 'settings on top of the settings files')
    .option('--verbose', 'say on stderr which model answers')
    .option('--debug', 'without the terminal UI: what happens, as JSON lines on stderr')
    .option('--accessible', 'the terminal UI as lines that are only ever added: for screen readers')
    .option('--fullscreen', 'the terminal UI on a screen of its own, instead of in the scrollback')
    .option('--no-color', 'no colours');
  for (const option of programOptions()) program.addOption(option);
}
