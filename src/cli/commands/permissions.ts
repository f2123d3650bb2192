import {Option, type Command} from 'commander';
import {permissionModes, ruleLists, type RuleList} from '../../domain/risk.ts';
import {sandboxChoices} from '../../domain/sandbox.ts';
import type {CheckOptions} from './permissions/run-permissions.ts';
import {exiting} from '../../app/exit-code.ts';
import {type InFile, type InFolder} from '../../app/main-options.ts';
import {folderFlag, jsonFlag, withFileFlags, type JsonOption} from '../flags.ts';

/** Loaded when one of the commands is called. */
const actions = () => import('./permissions/run-permissions.ts');

/** `weft permissions check|list|add|remove|trust|untrust`. */
export function add(permissions: Command): void {
  permissions
    .enablePositionalOptions()
    .option('--list', 'List every kind of action that can ask')
    .option(...jsonFlag)
    .action(
      exiting(async ({list, ...options}: JsonOption & {readonly list?: true}, command: Command) => {
        if (list === undefined) command.help({error: true});
        return (await actions()).listClasses(options);
      }),
    );
  permissions
    .command('check')
    .description('Check what weft would do with shell commands (without arguments: JSON lines on stdin)')
    .argument('[command...]', 'Command to check; if the first word contains a space, each word is a command')
    .option('--json', 'Print one JSON object per command')
    .option(...folderFlag)
    .addOption(new Option('--permission-mode <mode>', 'Permission mode to check in').choices(permissionModes))
    .addOption(
      new Option('--sandbox <how>', 'Sandbox to check with (default: of the settings)').choices(sandboxChoices),
    )
    .allowUnknownOption()
    .helpOption('--help', 'Show this help')
    .action(
      exiting(async (words: readonly string[], options: JsonOption & InFolder & CheckOptions) =>
        (await actions()).checkPermissions(words, options),
      ),
    );
  permissions
    .command('list')
    .description('List the rules of the settings files')
    .option('--classes', 'List every kind of action that can ask instead')
    .option(...jsonFlag)
    .option(...folderFlag)
    .action(
      exiting(async (options: JsonOption & InFolder & {readonly classes?: true}) =>
        (await actions()).listPermissions(options),
      ),
    );
  const changing = (name: string, description: string): Command =>
    withFileFlags(
      permissions
        .command(name)
        .description(description)
        .addArgument(permissions.createArgument('<list>', 'What the rule does').choices(ruleLists))
        .argument('<rule>', 'Rule, such as "Bash(git status:*)" or "Edit(src/**)"'),
    );
  changing('add', 'Add a rule to a settings file').action(
    exiting(async (list: RuleList, rule: string, options: InFile) =>
      (await actions()).addPermission(list, rule, options),
    ),
  );
  changing('remove', 'Remove a rule from a settings file').action(
    exiting(async (list: RuleList, rule: string, options: InFile) =>
      (await actions()).removePermission(list, rule, options),
    ),
  );
  permissions
    .command('trust')
    .description('Show what the settings of this folder ask for, and trust it')
    .option('--yes', 'Do not ask')
    .option(...folderFlag)
    .action(exiting(async (options: InFolder & {readonly yes?: true}) => (await actions()).trustFolder(options)));
  permissions
    .command('untrust')
    .description('Stop trusting this folder')
    .option(...folderFlag)
    .action(exiting(async (options: InFolder) => (await actions()).untrustFolder(options)));
}
