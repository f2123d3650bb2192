import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import type {MainOptions} from '../../app/main-options.ts';

/** `weft init`: the prompt `/init`, with the flags that stand before it. */
export function addInit(program: Command): void {
  program
    .command('init')
    .description('Look this project over and propose its AGENTS.md as an edit')
    .argument('[wish...]', 'What to stress')
    .action(
      exiting(async (wish: readonly string[]) =>
        (await import('../run-main.ts')).runMain(['/init', ...wish], program.opts<MainOptions>()),
      ),
    );
}
