import {Command, Help} from 'commander';
import {tryOr} from '../base/outcome.ts';
import {editDistance, nearestName} from '../base/nearest-name.ts';
import {isSurelyKey} from '../domain/api-key.ts';
import {isTopic, topicsText} from './commands/help.ts';
import {commandTable} from './command-table.ts';
import {exiting} from '../app/exit-code.ts';
import type {MainOptions} from '../app/main-options.ts';
import {addMainFlags, promptCommands} from './flags.ts';
import {print, printError} from '../app/output.ts';
import {version} from '../app/version.ts';

/** The commands without their flags, subcommands and actions. `names` holds the name and any aliases. */
const rows = commandTable.map(([term, summary, load]) => ({
  term,
  summary,
  load,
  names: (term.split(' ')[0] ?? '').split('|'),
}));

const rowOf = (word: string) => rows.find(({names}) => names.includes(word));

/** Words that are commands but begin a prompt if other words follow: `update`, and `update the README`. */
const loneCommands = 'help version login logout status update upgrade uninstall review'.split(' ');

/** Returns the program that parses this command line. Only the command named in it has flags and an action. */
export async function programFor(args: readonly string[]): Promise<Command> {
  const end = args.indexOf('--');
  const program = makeProgram('commands');
  if (end < 0 && !args.some(rowOf)) return program;
  const read = readUpToCommand(end < 0 ? args : args.slice(0, end));
  // An option is wrong: the program reports it.
  if (read === undefined) return program;
  const [first] = read.operands;
  if (first === undefined) return end < 0 ? program : makeProgram('prompt');
  const command = await openCommand(program, first);
  if (command === undefined || !loneCommands.includes(first)) return program;
  return end >= 0 || (await isPrompt(command, read)) ? makeProgram('prompt') : program;
}

interface ReadWords {
  readonly operands: readonly string[];
  readonly unknown: readonly string[];
  readonly options: Partial<MainOptions>;
}

/** Parses the flags before a command, its name, and the words after it. Returns `undefined` if a flag is wrong. */
function readUpToCommand(args: readonly string[]): ReadWords | undefined {
  const program = makeProgram('commands').configureOutput({writeErr: () => {}, outputError: () => {}});
  return tryOr(() => ({...program.parseOptions([...args]), options: program.opts()}), undefined);
}

/** True if a word that looks like a command begins a prompt: words follow that the command doesn't accept. */
async function isPrompt(command: Command, {unknown, options}: ReadWords): Promise<boolean> {
  if (options.prompt !== undefined || options.print !== undefined) return true;
  const option = unknown.findIndex(word => word.startsWith('-'));
  const words = option < 0 ? unknown : unknown.slice(0, option);
  const [word] = words;
  if (word === undefined) return false;
  if (command.name() === 'review') return words.length > 1;
  if (command.name() === 'help') {
    if (words.length === 1) return ['me', 'us', 'please'].includes(word);
    const known = isTopic(word) || rowOf(word) !== undefined || (await misspelledCommand([word])) !== undefined;
    return words.length > 2 || !known;
  }
  // One wrong word after these is the wrong name of a provider. A key is refused like a prompt that is a key.
  if (['login', 'logout', 'status'].includes(command.name())) return words.length > 1 || isSurelyKey(word);
  return words.length > 1 || command.registeredArguments[0]?.argChoices?.includes(word) !== true;
}

const helpText = 'Show this help';

/**
 * Builds the command line of weft as a commander program, which also produces help and suggestions. Its commands have names and
 * summaries; `openCommand` loads the rest. With `prompt` there are no commands: every word belongs to the prompt.
 */
export function makeProgram(words: 'commands' | 'prompt'): Command {
  const terms = new Map<Command, string>();
  const program = new Command('weft')
    .description('A coding agent for the terminal and for pipes')
    .version(version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', helpText)
    .argument('[prompt...]', 'Prompt to send; without one the terminal UI opens')
    .enablePositionalOptions()
    .configureOutput({
      writeOut: print,
      writeErr: printError,
      outputError: (text, write) => write(text.replace(/^error: /u, 'weft: ')),
    })
    .showHelpAfterError('(see weft --help)')
    .configureHelp({
      sortSubcommands: false,
      subcommandTerm: command => terms.get(command) ?? Help.prototype.subcommandTerm(command),
      commandDescription: command => command.description() + (command.parent === null ? examples : ''),
    })
    .exitOverride();
  addMainFlags(program);
  program.action(
    exiting(async (prompt: readonly string[], options: MainOptions) => {
      refuseKey(prompt, program);
      if (words === 'commands') await refuseMisspelledCommand(prompt, {options, program});
      return (await import('./run-main.ts')).runMain(prompt, options);
    }),
  );
  if (words === 'prompt') return program;
  program.hook('preAction', (_, command) => passOn(command));
  program.addHelpText('after', () => serverText + topicsText(program.commands.map(command => command.name())));
  for (const {term, summary, names} of rows) {
    const [name = '', ...aliases] = names;
    const command = program.command(name, {hidden: serverCommands.includes(name)});
    terms.set(command.aliases(aliases).description(summary), term);
  }
  return program;
}

/**
 * Passes on to a command the flags that stand before its name, such as those of `plan` before `run`. Refuses a flag that the command
 * doesn't take. `--debug` works with every command.
 */
function passOn(command: Command): void {
  if (promptCommands.has(command)) return;
  for (let before = command.parent; before !== null; before = before.parent)
    for (const option of before.options) {
      const name = option.attributeName();
      if (name === 'debug' || before.getOptionValueSource(name) !== 'cli') continue;
      if (!command.options.some(({long}) => long === option.long)) {
        const path = commandPath(command);
        command.error(`error: ${option.long} does nothing for "${path}". Leave it out. Options: ${path} --help`);
      }
      if (command.getOptionValueSource(name) !== 'cli')
        command.setOptionValueWithSource(name, before.getOptionValue(name), 'cli');
    }
}

const commandPath = (command: Command): string =>
  command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;

/** The commands for servers and automation. `weft --help` only names them. */
const serverCommands = 'serve worker attach stack schedule acp tasks plan'.split(' ');

const serverText = `
Servers and automation (weft help server, weft help COMMAND):
  ${serverCommands.join(', ')}
`;

const examples = `

  weft                          Open the terminal UI here
  weft "fix the failing test"   Open it with a first prompt
  git diff | weft -p "review"   Answer on stdout, for scripts and pipes
  weft -c                       Go on with the newest session`;

/** Loads the flags of a command, and its action or subcommands. */
export async function openCommand(program: Command, word: string): Promise<Command | undefined> {
  const row = rowOf(word);
  const command = program.commands.find(each => each.name() === row?.names[0]);
  if (row === undefined || command === undefined || opened.has(command)) return command;
  opened.add(command);
  const {add} = await row.load();
  add(command, program, name => openCommand(program, name));
  // Otherwise commander adds its own, with its own summary.
  if (command.commands.length > 0) command.helpCommand('help [command]', helpText);
  return command;
}

const opened = new WeakSet<Command>();

/** Refuses `weft sk-…` and `weft login openai sk-…`, so that the key does not reach a model. The error does not repeat the key. */
function refuseKey(words: readonly string[], program: Command): void {
  if ((words.length > 2 && words[0] !== 'login') || !words.some(isSurelyKey)) return;
  program.error(
    'error: This is an API key. Nothing was sent. To save it, put it into a file and run: weft login < key.txt',
  );
}

/** Refuses a misspelled command instead of sending it to a model. Words with --print or --prompt are always a prompt. */
async function refuseMisspelledCommand(
  words: readonly string[],
  {options, program}: {readonly options: MainOptions; readonly program: Command},
): Promise<void> {
  if (words.length === 0 || options.print !== undefined || options.prompt !== undefined) return;
  const meant = await misspelledCommand(words);
  if (meant === undefined) return;
  program.error(
    `error: Unknown command "${words[0]}". Did you mean "weft ${meant}"? To send it as a prompt: weft --prompt "${words.join(' ')}"`,
  );
}

/**
 * Returns the command that was probably meant by words that commander took for a prompt, or `undefined` for a prompt. The first word
 * must be a misspelled name, the beginning of a name, or another program's word for it. At most one word follows: a subcommand.
 */
export async function misspelledCommand(words: readonly string[]): Promise<string | undefined> {
  const [first = '', second] = words;
  // A sentence of one word is a prompt: "Serve." is not a misspelled `serve`.
  if (first.includes(' ') || /[\p{L}\p{N}][.!?…]+$/u.test(first)) return undefined;
  const names = rows.flatMap(row => row.names);
  const name = nearestName(first, names) ?? names.find(known => isTypo(first, known));
  if (second === undefined) {
    const other = wordsForCommands.get(first);
    if (other !== undefined) return other;
    if (/^\.{1,2}(?:\/|$)/u.test(first)) return `--cwd ${first}`;
    if (name !== undefined && isTypo(first, name)) return name;
    return first.length < 3 ? undefined : names.find(each => each.startsWith(first));
  }
  if (name === undefined) return undefined;
  const command = await openCommand(makeProgram('commands'), name);
  const choices = command?.registeredArguments.flatMap(({argChoices = []}) => argChoices) ?? [];
  const subcommands = [...(command?.commands.map(each => each.name()) ?? []), ...choices];
  const subcommand = subcommands.find(known => known === second) ?? subcommands.find(known => isTypo(second, known));
  return subcommand === undefined ? undefined : `${name} ${subcommand}`;
}

/** Commands of other programs, and the equivalent here. On their own, they mean nothing to a model. */
const wordsForCommands: ReadonlyMap<string, string> = new Map(
  Object.entries({
    help: '? about add bug clean create delete docs edit exit export feedback import info man manual new open options plugin plugins quit remove reset restart rm search setup show start tutorial',
    'help install': 'install',
    'help commands': 'clear compact context cost redo rewind theme undo usage vim',
    keys: 'keybindings shortcuts',
    completion: 'complete',
    '--continue': 'continue',
    '--prompt TEXT': 'ask chat exec run',
    '--resume': 'resume',
    'config list': 'cfg configure env get preferences prefs set settings',
    doctor: 'check diagnose',
    login: 'authenticate register sign-in signin signup',
    logout: 'sign-out signout',
    ps: 'jobs kill stop top',
    schedule: 'cron',
    serve: 'daemon',
    'sessions list': 'history list logs ls',
    status: 'account whoami',
    update: 'self-update selfupdate',
  }).flatMap(([command, others]) => others.split(' ').map(word => [word, command] as const)),
);

/** True if `word` is `name` with one letter added, missing or wrong, or with letters swapped. */
function isTypo(word: string, name: string): boolean {
  const distance = editDistance(word.toLowerCase(), name);
  return distance <= 1 || (distance === 2 && sorted(word.toLowerCase()) === sorted(name));
}

const sorted = (word: string): string => Array.from(word).toSorted().join('');
