import {Option, type Command} from 'commander';
import {type PermissionMode, permissionModes} from '../../domain/risk.ts';
import {exiting} from '../../app/exit-code.ts';
import {type InFolder, type MainOptions} from '../../app/main-options.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';

export interface AddOptions extends InFolder, JsonOption {
  readonly permissionMode?: PermissionMode;
}

/** Loaded when one of the commands is called. */
const actions = () => import('./schedule/run-schedule.ts');

/** `weft schedule add|list|remove|run`: prompts that `weft serve` sends at their times. */
export function add(schedule: Command, program: Command): void {
  schedule
    .command('add')
    .description('Schedule a prompt')
    .argument('<cron>', 'When: minute hour day month weekday, such as "0 9 * * 1-5"')
    .argument('<prompt...>', 'What to send')
    .option('--cwd <dir>', 'Folder to work in instead of the current one')
    .addOption(
      new Option('--permission-mode <mode>', 'What may run without asking; your settings at most').choices(
        permissionModes,
      ),
    )
    .option(...jsonFlag)
    .action(
      exiting(async (cron: string, words: readonly string[], options: AddOptions) =>
        (await actions()).addSchedule(cron, words, options),
      ),
    );
  schedule
    .command('list')
    .description('List the schedules, the next one first, and what became of their last runs')
    .option(...jsonFlag)
    .action(exiting(async (options: JsonOption) => (await actions()).listSchedules(options)));
  schedule
    .command('remove')
    .description('Remove a schedule; a run that has begun goes on')
    .argument('<id>', 'Id of the schedule')
    .action(exiting(async (id: string) => (await actions()).removeSchedule(id)));
  schedule
    .command('run')
    .description('Run a schedule now, here, with nobody to ask')
    .argument('<id>', 'Id of the schedule')
    .action(exiting(async (id: string) => (await actions()).runSchedule(id, program.opts<MainOptions>())));
}
