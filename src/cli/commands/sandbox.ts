import {Option, type Command} from 'commander';
import {type ProviderName, providerNames} from '../../domain/sandbox.ts';
import {exiting} from '../../app/exit-code.ts';
import {folderFlag, jsonFlag, type JsonOption} from '../flags.ts';
import type {SandboxRunOptions} from './sandbox/run-command.ts';

/** Loaded when one of the commands is called. */
const actions = () => import('./sandbox/run-sandbox.ts');
const running = () => import('./sandbox/run-command.ts');

interface WithProvider {
  readonly provider?: ProviderName;
}

const providerFlag = (): Option => new Option('--provider <name>', 'Backend of the sandbox').choices(providerNames);

/** `weft sandbox providers|test|run|apply`. */
export function add(sandbox: Command): void {
  sandbox.enablePositionalOptions();
  sandbox
    .command('providers')
    .description('List the backends and which are installed')
    .option(...jsonFlag)
    .action(exiting(async (options: JsonOption) => (await actions()).listProviders(options)));
  sandbox
    .command('test')
    .description('Prove what each backend stops on this machine')
    .addOption(providerFlag())
    .option(...jsonFlag)
    .action(exiting(async (options: JsonOption & WithProvider) => (await actions()).testProviders(options)));
  sandbox
    .command('run')
    .description(
      'Run a command in the sandbox, with this folder as its workspace, and apply what it changed when it has ended',
    )
    .argument('<command...>', 'Command; one word with blanks is given to the shell')
    .addOption(providerFlag())
    .option('--dry', 'Apply nothing: show its changes as a diff, and keep them for weft sandbox apply')
    .option('--json', 'Print {id, exitCode, changes} or {exitCode, applied, dropped}; its own output goes to stderr')
    .option(...folderFlag)
    .passThroughOptions()
    .action(
      exiting(async (words: readonly [string, ...string[]], options: SandboxRunOptions) =>
        (await running()).runInSandbox(words, options),
      ),
    );
  sandbox
    .command('apply')
    .description('Apply the changes of a dry run: all of them, or none if a file has changed since')
    .argument('<id>', 'ID that the dry run printed')
    .option(...jsonFlag)
    .action(exiting(async (id: string, options: JsonOption) => (await running()).applyKept(id, options)));
}
