import type {Command} from 'commander';
import {exiting, exitCode} from '../../app/exit-code.ts';
import {print} from '../../app/output.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** `weft completion`. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('Print the completion script for a shell')
    .addArgument(program.createArgument('<shell>', 'Shell').choices(shells))
    .action(
      exiting(async (shell: (typeof shells)[number]) => {
        const {renderCompletion} = await import('./completion/render-completion.ts');
        print(renderCompletion(program, shell));
        return exitCode.done;
      }),
    );
}
