import type {Command} from 'commander';
import {exiting} from '../exit-code.ts';

/** `weft acp`. */
export function addAcp(program: Command): void {
  program
    .command('acp')
    .description('Serve an editor on stdin and stdout (Agent Client Protocol)')
    .action(exiting(async () => (await import('../run-acp.ts')).runAcp()));
}
