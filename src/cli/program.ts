import {Command, Help} from 'commander';
import {tryOr} from '../base/outcome.ts';
import {editDistance, nearestName} from '../base/nearest-name.ts';
import {isSurelyKey} from '../domain/api-key.ts';
import {isTopic, topicsText} from './commands/help.ts';
import {commandTable} from './command-table.ts';
import {exiting} from '../app/exit-code.ts';
import type {MainOptions} from '../app/main-options.ts';
import {addMainFlags} from './flags.ts';
import {print, printError} from '../app/output.ts';
import {version} from '../app/version.ts';

/** The commands without their flags, subcommands and actions. `names`: the name and an alias. */
const rows = commandTable.map(([term, summary, load]) => ({
  term,
  summary,
  load,
  names: (term.split(' ')[0] ?? '').split('|'),
}));

const rowOf = (word: string) => rows.find(({names}) => names.includes(word));

/** These words are commands if they stand alone, and begin a prompt if others follow: `update`, and `update the README`. */
const loneCommands = 'help version login logout status update upgrade uninstall'.split(' ');

/** The program that reads these words of the command line. Of its commands only the named one has flags and an action. */
export async function programFor(args: readonly string[]): Promise<Command> {
  const end = args.indexOf('--');
  const program = makeProgram('commands');
  if (end < 0 && !args.some(rowOf)) return program;
  const read = readUpToCommand(end < 0 ? args : args.slice(0, end));
  // A wrong option, which the program complains about.
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

/** Reads the flags in front of a command, its name, and the words behind it; `undefined` where a flag is wrong. */
function readUpToCommand(args: readonly string[]): ReadWords | undefined {
  const program = makeProgram('commands').configureOutput({writeErr: () => {}, outputError: () => {}});
  return tryOr(() => ({...program.parseOptions([...args]), options: program.opts()}), undefined);
}

/** True if a word that looks like a command begins a prompt: words follow that the command does not take. */
async function isPrompt(command: Command, {unknown, options}: ReadWords): Promise<boolean> {
  if (options.prompt !== undefined || options.print !== undefined) return true;
  const option = unknown.findIndex(word => word.startsWith('-'));
  const words = option < 0 ? unknown : unknown.slice(0, option);
  const [word] = words;
  if (word === undefined) return false;
  if (command.name() === 'help') {
    if (words.length === 1) return ['me', 'us', 'please'].includes(word);
    const known = isTopic(word) || rowOf(word) !== undefined || (await misspelledCommand([word])) !== undefined;
    return words.length > 2 || !known;
  }
  return words.length > 1 || command.registeredArguments[0]?.argChoices?.includes(word) !== true;
}

/**
 * The command line of weft as a commander program. Help and suggestions are made from it. Its commands have names and summaries:
 * `openCommand` loads the rest. For a prompt there are no commands: every word is one of the prompt.
 */
export function makeProgram(words: 'commands' | 'prompt'): Command {
  const terms = new Map<Command, string>();
  const program = new Command('weft')
    .description('A coding agent for the terminal and for pipes')
    .version(version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show this help')
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
  program.addHelpText('after', () => topicsText(program.commands.map(command => command.name())));
  for (const {term, summary, names} of rows) {
    const [name = '', ...aliases] = names;
    terms.set(program.command(name).aliases(aliases).description(summary), term);
  }
  return program;
}

/** Gives a command of the program its flags, and its action or subcommands. */
export async function openCommand(program: Command, word: string): Promise<Command | undefined> {
  const row = rowOf(word);
  const command = program.commands.find(each => each.name() === row?.names[0]);
  if (row === undefined || command === undefined || opened.has(command)) return command;
  opened.add(command);
  const {add} = await row.load();
  add(command, program, name => openCommand(program, name));
  return command;
}

const opened = new WeakSet<Command>();

/** `weft sk-…` and `weft login sk-…` do not send the key to a model. It is not repeated either. */
function refuseKey(words: readonly string[], program: Command): void {
  if (words.length > 2 || !isSurelyKey(words.at(-1) ?? '')) return;
  program.error('error: This is an API key. Nothing was sent. To keep it, put it into a file: weft login < key.txt');
}

/** A misspelled command is not sent to a model as a prompt; words given with --print or beside --prompt are meant as one. */
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
 * The command that was probably meant by words which commander took for a prompt. The first word is a name with a slip, the beginning
 * of a name, or another program's word for the same. Nothing follows it, or one of the command's own words. `undefined` for a prompt.
 */
export async function misspelledCommand(words: readonly string[]): Promise<string | undefined> {
  const [first = '', second] = words;
  // A sentence of one word is a prompt: "Serve." is no slip of `serve`.
  if (first.includes(' ') || /[\p{L}\p{N}][.!?…]+$/u.test(first)) return undefined;
  const names = rows.flatMap(row => row.names);
  const name = nearestName(first, names) ?? names.find(known => isSlip(first, known));
  if (second === undefined) {
    const other = wordsForCommands.get(first);
    if (other !== undefined) return other;
    if (/^\.{1,2}(?:\/|$)/u.test(first)) return `--cwd ${first}`;
    if (name !== undefined && isSlip(first, name)) return name;
    return first.length < 3 ? undefined : names.find(each => each.startsWith(first));
  }
  if (name === undefined) return undefined;
  const command = await openCommand(makeProgram('commands'), name);
  const choices = command?.registeredArguments.flatMap(({argChoices = []}) => argChoices) ?? [];
  const subcommands = [...(command?.commands.map(each => each.name()) ?? []), ...choices];
  const subcommand = subcommands.find(known => known === second) ?? subcommands.find(known => isSlip(second, known));
  return subcommand === undefined ? undefined : `${name} ${subcommand}`;
}

/** Words that are commands of other programs, and what does the same here. They say nothing to a model. */
const wordsForCommands: ReadonlyMap<string, string> = new Map(
  Object.entries({
    help: '? about add bug clean create delete docs edit exit export feedback import info install man manual new open options plugin plugins quit remove reset restart rm search setup show start tutorial',
    'help commands': 'clear compact context cost redo rewind theme undo usage vim',
    'help keys': 'keys',
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

/** Whether `word` is `name` with one letter too many, too few or wrong, or with two in the wrong order. */
function isSlip(word: string, name: string): boolean {
  const distance = editDistance(word.toLowerCase(), name);
  return distance <= 1 || (distance === 2 && sorted(word.toLowerCase()) === sorted(name));
}

const sorted = (word: string): string => Array.from(word).toSorted().join('');
