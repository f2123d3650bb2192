import type {Command} from 'commander';
import {exitCode, exiting} from '../../app/exit-code.ts';
import {print} from '../../app/output.ts';
import {version} from '../../app/version.ts';

/** Loaded when one of the commands is called. */
const actions = () => import('./installation/run-installation.ts');

/** `weft version`, `weft update` and `weft uninstall`. */
export function add(command: Command): void {
  command.action(
    exiting(async () => {
      const name = command.name();
      if (name === 'update') return (await actions()).printUpdate();
      if (name === 'uninstall') return (await actions()).printRemoval();
      print(`${version}\n`);
      return exitCode.done;
    }),
  );
}
