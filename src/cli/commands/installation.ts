import type {Command} from 'commander';
import {exitCode, exiting} from '../../app/exit-code.ts';
import {print} from '../../app/output.ts';
import {version} from '../../app/version.ts';

/** Loaded when one of the commands is called. */
const actions = () => import('./installation/run-installation.ts');

/** `weft version|update|uninstall`. */
export function addInstallation(program: Command): void {
  program
    .command('version')
    .description('Print the version')
    .action(
      exiting(async () => {
        print(`${version}\n`);
        return exitCode.done;
      }),
    );
  program
    .command('update')
    .alias('upgrade')
    .description('Say how to update this weft; nothing is downloaded')
    .action(exiting(async () => (await actions()).printUpdate()));
  program
    .command('uninstall')
    .description('Say how to remove this weft; nothing is removed')
    .action(exiting(async () => (await actions()).printRemoval()));
}
