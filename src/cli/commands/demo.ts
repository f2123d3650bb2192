import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';

/** `weft demo`. */
export function add(command: Command): void {
  command
    .option('--dir <dir>', 'Create the project in this folder (new or empty)')
    .action(exiting(async (options: {readonly dir?: string}) => (await import('./demo/run-demo.ts')).runDemo(options)));
}
