import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import {folderFlag, jsonFlag} from '../flags.ts';

/** `weft models`. */
export function add(models: Command): void {
  models
    .command('list', {isDefault: true})
    .description('List the models of the provider, and those that your settings describe')
    .option(...jsonFlag)
    .option(...folderFlag)
    .action(exiting(async options => (await import('./models/run-models.ts')).listKnownModels(options)));
}
