import type {Command} from 'commander';
import {nearestName} from '../../base/nearest-name.ts';
import {exitCode, exiting, UsageError} from '../../app/exit-code.ts';

const topics = {commands: 'the commands of the terminal UI', keys: 'its keys'} as const;

type Topic = keyof typeof topics;

const isTopic = (word: string): word is Topic => Object.hasOwn(topics, word);

/** `weft help`. Added last: it takes the names of all other commands. */
export function addHelp(program: Command): void {
  const words = program.createArgument('[command...]', 'command, or a topic: commands or keys (of the terminal UI)');
  // For completion alone: what is not among them is looked for, or is a prompt.
  words.argChoices = [...program.commands.map(command => command.name()), ...Object.keys(topics)];
  program
    .command('help')
    .description('Show this help, or that of a command or a topic')
    .addArgument(words)
    .action(
      exiting(async (named: readonly string[]) => {
        const target = helpTarget(named, program);
        if (target === undefined) {
          const meant = nearestName(named[0] ?? '', words.argChoices ?? []);
          const hint = meant === undefined ? '' : ` Did you mean "weft help ${meant}"?`;
          throw new UsageError(`No help on "${named.join(' ')}".${hint} List the commands: weft help`);
        }
        if (typeof target === 'string') (await import('./help/help-topics.ts')).printTopic(target);
        else target.outputHelp();
        return exitCode.done;
      }),
    );
}

/** The topic or the command that these words name, the program itself if there are none. */
export function helpTarget(words: readonly string[], program: Command): Command | Topic | undefined {
  const [only = ''] = words;
  if (words.length === 1 && isTopic(only)) return only;
  return words.reduce<Command | undefined>(
    (command, word) => command?.commands.find(each => each.name() === word),
    program,
  );
}
