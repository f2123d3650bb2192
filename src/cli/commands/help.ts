import type {Command} from 'commander';
import {nearestName} from '../../base/nearest-name.ts';
import {exitCode, exiting, UsageError} from '../../app/exit-code.ts';
import {print, stdoutWidth} from '../../app/output.ts';

const topics = ['commands', 'keys'] as const;

type Topic = (typeof topics)[number];

/** True for what `weft help` explains besides commands: the commands of the terminal UI, and its keys. */
export const isTopic = (word: string): word is Topic => topics.some(topic => topic === word);

/** `weft help`. `open` gives a command its flags and subcommands. */
export function add(command: Command, program: Command, open: (name: string) => Promise<Command | undefined>): void {
  const words = command.createArgument('[command...]', 'command, or a topic: commands or keys (of the terminal UI)');
  const others = program.commands.filter(each => each !== command).map(each => each.name());
  // For completion alone: what is not among them is looked for, or is a prompt.
  words.argChoices = [...others, ...topics];
  command.addArgument(words).action(
    exiting(async (named: readonly string[]) => {
      const [first = '', ...rest] = named;
      if (rest.length === 0 && isTopic(first)) {
        await printTopic(first);
        return exitCode.done;
      }
      const target = rest.reduce<Command | undefined>(
        (found, word) => found?.commands.find(each => each.name() === word),
        first === '' ? program : await open(first),
      );
      if (target === undefined) {
        const meant = nearestName(first, words.argChoices ?? []);
        const hint = meant === undefined ? '' : ` Did you mean "weft help ${meant}"?`;
        throw new UsageError(`No help on "${named.join(' ')}".${hint} List the commands: weft help`);
      }
      target.outputHelp();
      return exitCode.done;
    }),
  );
}

/** Prints what `/help commands` and `/help keys` show in the terminal UI. */
async function printTopic(topic: Topic): Promise<void> {
  const [{commandsFor}, {commandLines, keyLines}, {themeOf}] = await Promise.all([
    import('../../tui/commands/command-list.ts'),
    import('../../tui/commands/help.ts'),
    import('../../tui/theme/theme.ts'),
  ]);
  const frame = {theme: themeOf('plain'), width: stdoutWidth() ?? 80};
  const [, ...lines] = topic === 'keys' ? keyLines(frame) : commandLines(commandsFor('offered'), frame);
  print(lines.map(line => `${line}\n`).join(''));
}
