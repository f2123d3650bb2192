import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';

/** `weft demo`. */
export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('Try weft offline: an agent fixes a small project')
    .option('--dir <dir>', 'Create the project in this folder (new or empty)')
    .action(exiting(async (options: {readonly dir?: string}) => (await import('./demo/run-demo.ts')).runDemo(options)));
}
