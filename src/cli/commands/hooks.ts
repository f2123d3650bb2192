import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import {type InFolder, type MainOptions} from '../../app/main-options.ts';
import {folderFlag, jsonFlag, type JsonOption, pluginFlag} from '../flags.ts';

/** Loaded when one of the commands is called. */
const actions = () => import('./hooks/run-hooks.ts');

type HookOptions = JsonOption & InFolder & Pick<MainOptions, 'pluginDir'>;

/** `weft hooks list|test`. */
export function add(hooks: Command): void {
  hooks
    .command('list')
    .description('List the hooks and where they come from')
    .option(...jsonFlag)
    .option(...folderFlag)
    .option(...pluginFlag)
    .action(exiting(async (options: HookOptions) => (await actions()).listHooks(options)));
  hooks
    .command('test')
    .description('Call each hook with a sample of its event and show its verdict')
    .argument('[event]', 'Only the hooks of this event')
    .option(...jsonFlag)
    .option(...folderFlag)
    .option(...pluginFlag)
    .action(
      exiting(async (event: string | undefined, options: HookOptions) => (await actions()).testHooks(event, options)),
    );
}
