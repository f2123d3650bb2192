import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import type {MainOptions} from '../../app/main-options.ts';
import {promptCommands} from '../flags.ts';

/** `weft init`: runs the prompt `/init` with the flags before the command. */
export function add(command: Command, program: Command): void {
  promptCommands.add(command);
  command
    .argument('[wish...]', 'Topics to focus on')
    .action(
      exiting(async (wish: readonly string[]) =>
        (await import('../run-main.ts')).runMain(['/init', ...wish], program.opts<MainOptions>()),
      ),
    );
}
