import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import type {MainOptions} from '../../app/main-options.ts';

/** `weft init`: the prompt `/init`, with the flags that stand before it. */
export function add(command: Command, program: Command): void {
  command
    .argument('[wish...]', 'What to stress')
    .action(
      exiting(async (wish: readonly string[]) =>
        (await import('../run-main.ts')).runMain(['/init', ...wish], program.opts<MainOptions>()),
      ),
    );
}
