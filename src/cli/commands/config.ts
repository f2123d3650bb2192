import type {Command} from 'commander';
import type {ImportSettingsOptions} from '../../app/import-settings.ts';
import {exiting} from '../../app/exit-code.ts';
import {type InFile, type InFolder} from '../../app/main-options.ts';
import {folderFlag, jsonFlag, withFileFlags, type JsonOption} from '../flags.ts';

export interface ConfigOptions extends JsonOption, InFolder {}

/** Loaded when one of the commands is called. */
const actions = () => import('./config/run-config.ts');

/** `weft config get|set|unset|list|path|import|explain`. */
export function add(config: Command): void {
  const name = ['<setting>', 'Setting, such as model, permissionMode, permissions.allow or env.CI'] as const;
  const reading = (verb: string, description: string): Command =>
    config
      .command(verb)
      .description(description)
      .option(...jsonFlag)
      .option(...folderFlag);
  const writing = (verb: string, description: string): Command =>
    withFileFlags(config.command(verb).description(description));
  reading('get', 'Print the value in effect')
    .argument(...name)
    .action(exiting(async (key: string, options: ConfigOptions) => (await actions()).getSetting(key, options)));
  writing('set', 'Set a value in a settings file')
    .argument(...name)
    .argument('<value>', 'Value: text, or JSON for lists and objects')
    .action(
      exiting(async (key: string, value: string, options: InFile) =>
        (await actions()).writeSetting(key, value, options),
      ),
    );
  writing('unset', 'Remove a value from a settings file')
    .argument(...name)
    .action(exiting(async (key: string, options: InFile) => (await actions()).removeSetting(key, options)));
  reading('list', 'List all settings and where they come from').action(
    exiting(async (options: ConfigOptions) => (await actions()).listSettings(options)),
  );
  writing('path', 'Print the path of the settings file').action(
    exiting(async (options: InFile) => (await actions()).settingsPath(options)),
  );
  writing('import', 'Take hooks, permission rules and variables over from the settings of Claude Code')
    .option(...jsonFlag)
    .option('--dry-run', 'Only show what would be imported')
    .action(
      exiting(async (options: ImportSettingsOptions) =>
        (await import('../../app/import-settings.ts')).importSettings(options),
      ),
    );
  reading('explain', 'Explain where a setting comes from and what it overrides')
    .argument(...name)
    .action(exiting(async (key: string, options: ConfigOptions) => (await actions()).explainOne(key, options)));
}
