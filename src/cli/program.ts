import {Command} from 'commander';
import {editDistance, nearestName} from '../base/nearest-name.ts';
import {isSurelyKey} from '../domain/api-key.ts';
import {addAcp} from './commands/acp.ts';
import {addAuth} from './commands/auth.ts';
import {addCompletion} from './commands/completion.ts';
import {addConfig} from './commands/config.ts';
import {addDemo} from './commands/demo.ts';
import {addDoctor} from './commands/doctor.ts';
import {addInit} from './commands/init.ts';
import {addMcp} from './commands/mcp.ts';
import {addModels} from './commands/models.ts';
import {addHelp, helpTarget} from './commands/help.ts';
import {addHooks} from './commands/hooks.ts';
import {addInstallation} from './commands/installation.ts';
import {addPermissions} from './commands/permissions.ts';
import {addPs} from './commands/ps.ts';
import {addSandbox} from './commands/sandbox.ts';
import {addAttach} from './commands/attach.ts';
import {addPlan} from './commands/plan.ts';
import {addSchedule} from './commands/schedule.ts';
import {addServe} from './commands/serve.ts';
import {addWorker} from './commands/worker.ts';
import {addWorktree} from './commands/worktree.ts';
import {addSessions} from './commands/sessions.ts';
import {addAgents, addSkills} from './commands/skills.ts';
import {addStack} from './commands/stack.ts';
import {addTasks} from './commands/tasks.ts';
import {exiting} from '../app/exit-code.ts';
import {type MainOptions} from '../app/main-options.ts';
import {addMainFlags} from './flags.ts';
import {print, printError} from '../app/output.ts';
import {version} from '../app/version.ts';

/** The program that reads these words of the command line. */
export const programFor = (args: readonly string[]): Command => makeProgram(isPrompt(args) ? 'prompt' : 'commands');

/** These words are commands if they stand alone, and begin a prompt if others follow: `update`, and `update the README`. */
const loneCommands = 'help version login logout status update upgrade uninstall'.split(' ');

/** True if a word that looks like a command begins a prompt: behind `--`, or followed by words that the command does not take. */
function isPrompt(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  if (end < 0 && !args.some(arg => loneCommands.includes(arg))) return false;
  const program = makeProgram('commands').configureOutput({writeErr: () => {}, outputError: () => {}});
  let read;
  try {
    read = program.parseOptions(end < 0 ? [...args] : args.slice(0, end));
  } catch {
    // A wrong option, which the program that runs complains about.
    return false;
  }
  const [first] = read.operands;
  if (first === undefined) return end >= 0;
  const command = loneCommands.includes(first)
    ? program.commands.find(each => namesOf(each).includes(first))
    : undefined;
  if (command === undefined) return false;
  const {prompt, print: printed}: Partial<MainOptions> = program.opts();
  if (prompt !== undefined || printed !== undefined || end >= 0) return true;
  const option = read.unknown.findIndex(word => word.startsWith('-'));
  const words = option < 0 ? read.unknown : read.unknown.slice(0, option);
  if (words.length === 0) return false;
  if (first === 'help') {
    const [topic = ''] = words;
    if (words.length === 1) return ['me', 'us', 'please'].includes(topic);
    return (
      words.length > 2 || (misspelledCommand([topic], program.commands) ?? helpTarget([topic], program)) === undefined
    );
  }
  const [choice] = command.registeredArguments;
  return words.length > 1 || choice?.argChoices?.includes(words[0] ?? '') !== true;
}

const namesOf = (command: Command): readonly string[] => [command.name(), ...command.aliases()];

/**
 * The command line of weft as a commander program. Help, completions and suggestions are made from it. Each command adds itself, and
 * loads what it does when it is called. Without commands every word is one of the prompt.
 */
export function makeProgram(words: 'commands' | 'prompt' = 'commands'): Command {
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
    .configureHelp({sortSubcommands: false})
    .exitOverride();
  addMainFlags(program);
  program.action(
    exiting(async (prompt: readonly string[], options: MainOptions) => {
      refuseKey(prompt, program);
      if (words === 'commands') refuseMisspelledCommand(prompt, {options, program});
      return (await import('./run-main.ts')).runMain(prompt, options);
    }),
  );
  if (words === 'prompt') return program;
  addDemo(program);
  addInit(program);
  addAuth(program);
  addSessions(program);
  addSandbox(program);
  addPs(program);
  addWorktree(program);
  addDoctor(program);
  addCompletion(program);
  addTasks(program);
  addPermissions(program);
  addHooks(program);
  addConfig(program);
  addModels(program);
  addMcp(program);
  addSkills(program);
  addAgents(program);
  addPlan(program);
  addServe(program);
  addWorker(program);
  addAttach(program);
  addStack(program);
  addSchedule(program);
  addAcp(program);
  addInstallation(program);
  addHelp(program);
  return program;
}

/** `weft sk-…` and `weft login sk-…` do not send the key to a model. It is not repeated either. */
function refuseKey(words: readonly string[], program: Command): void {
  if (words.length > 2 || !isSurelyKey(words.at(-1) ?? '')) return;
  program.error('error: This is an API key. Nothing was sent. To keep it, put it into a file: weft login < key.txt');
}

/** A misspelled command is not sent to a model as a prompt; words given with --print or beside --prompt are meant as one. */
function refuseMisspelledCommand(
  words: readonly string[],
  {options, program}: {readonly options: MainOptions; readonly program: Command},
): void {
  if (words.length === 0 || options.print !== undefined || options.prompt !== undefined) return;
  const meant = misspelledCommand(words, program.commands);
  if (meant === undefined) return;
  program.error(
    `error: Unknown command "${words[0]}". Did you mean "weft ${meant}"? To send it as a prompt: weft --prompt "${words.join(' ')}"`,
  );
}

/**
 * The command that was probably meant by words which commander took for a prompt. The first word is a name with a slip, the beginning
 * of a name, or another program's word for the same. Nothing follows it, or one of the command's own words. `undefined` for a prompt.
 */
export function misspelledCommand(words: readonly string[], commands: readonly Command[]): string | undefined {
  const [first = '', second] = words;
  // A sentence of one word is a prompt: "Serve." is no slip of `serve`.
  if (first.includes(' ') || /[\p{L}\p{N}][.!?…]+$/u.test(first)) return undefined;
  const names = commands.flatMap(namesOf);
  const name = nearestName(first, names) ?? names.find(known => isSlip(first, known));
  if (second === undefined) {
    const other = wordsForCommands.get(first);
    if (other !== undefined) return other;
    if (/^\.{1,2}(?:\/|$)/u.test(first)) return `--cwd ${first}`;
    if (name !== undefined && isSlip(first, name)) return name;
    return first.length < 3 ? undefined : names.find(each => each.startsWith(first));
  }
  const command = commands.find(each => namesOf(each).some(known => known === name));
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
