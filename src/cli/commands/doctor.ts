import type {Command} from 'commander';
import {exiting} from '../exit-code.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';

/** `weft doctor`. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('Check this machine')
    .option(...jsonFlag)
    .action(exiting(async (options: JsonOption) => (await import('./doctor/run-doctor.ts')).doctor(options)));
}
