import {Command} from 'commander';
import {editDistance, nearestName} from '../base/nearest-name.ts';
import {addAcp} from './commands/acp.ts';
import {addAuth} from './commands/auth.ts';
import {addCompletion} from './commands/completion.ts';
import {addConfig} from './commands/config.ts';
import {addDemo} from './commands/demo.ts';
import {addDoctor} from './commands/doctor.ts';
import {addInit} from './commands/init.ts';
import {addMcp} from './commands/mcp.ts';
import {addModels} from './commands/models.ts';
import {addHooks} from './commands/hooks.ts';
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
import {exiting, UsageError} from './exit-code.ts';
import {addMainFlags, type MainOptions} from './flags.ts';
import {print, printError} from './output.ts';
import {version} from './version.ts';

/**
 * The command line of weft as a commander program. Help, completions and suggestions are made from it. Each command adds itself, and
 * loads what it does when it is called.
 */
export function makeProgram(): Command {
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
      refuseMisspelledCommand(prompt, {options, program});
      return (await import('./run-main.ts')).runMain(prompt, options);
    }),
  );
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
  return program;
}

/** A misspelled command is not sent to a model as a prompt; words given with --print or beside --prompt are meant as one. */
function refuseMisspelledCommand(
  words: readonly string[],
  {options, program}: {readonly options: MainOptions; readonly program: Command},
): void {
  if (words.length === 0 || options.print !== undefined || options.prompt !== undefined) return;
  const meant = misspelledCommand(words, program.commands);
  if (meant === undefined) return;
  throw new UsageError(
    `Unknown command "${words[0]}". Did you mean "weft ${meant}"? To send it as a prompt: weft --prompt "${words.join(' ')}"`,
  );
}

/**
 * The command that these words, which commander took for a prompt, were probably meant to be: a name with a slip, followed by nothing
 * or by one of its subcommands. `undefined` for anything else, however it begins, and for a sentence of one word.
 */
export function misspelledCommand(words: readonly string[], commands: readonly Command[]): string | undefined {
  const [first = '', second] = words;
  const meant = nearestName(
    first,
    commands.map(command => command.name()),
  );
  const command = commands.find(each => each.name() === meant);
  // A sentence of one word is a prompt: "Serve." is no slip of `serve`.
  if (command === undefined || first.includes(' ') || /[.!?…]$/u.test(first)) return undefined;
  const name = command.name();
  if (second === undefined) return isSlip(first, name) ? name : undefined;
  const subcommands = command.commands.map(each => each.name());
  const subcommand = subcommands.find(known => known === second) ?? subcommands.find(known => isSlip(second, known));
  return subcommand === undefined ? undefined : `${name} ${subcommand}`;
}

/** Whether `word` is `name` with one letter too many, too few or wrong, or with two in the wrong order. */
function isSlip(word: string, name: string): boolean {
  const distance = editDistance(word.toLowerCase(), name);
  return distance <= 1 || (distance === 2 && sorted(word.toLowerCase()) === sorted(name));
}

const sorted = (word: string): string => Array.from(word).toSorted().join('');
