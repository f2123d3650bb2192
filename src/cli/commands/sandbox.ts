import {Option, type Command} from 'commander';
import {type ProviderName, providerNames} from '../../domain/sandbox.ts';
import {exiting} from '../exit-code.ts';
import {folderFlag, jsonFlag, type InFolder, type JsonOption} from '../flags.ts';

/** Loaded when one of the commands is called. */
const actions = () => import('./sandbox/run-sandbox.ts');

interface WithProvider {
  readonly provider?: ProviderName;
}

const providerFlag = (): Option => new Option('--provider <name>', 'Backend of the sandbox').choices(providerNames);

/** `weft sandbox providers|test|run`. */
export function addSandbox(program: Command): void {
  const sandbox = program
    .command('sandbox')
    .description('Try and use the sandbox for commands')
    .enablePositionalOptions();
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
    .description('Run a command in the sandbox, with this folder as its workspace')
    .argument('<command...>', 'Command; one word with blanks is given to the shell')
    .addOption(providerFlag())
    .option(...folderFlag)
    .passThroughOptions()
    .action(
      exiting(async (words: readonly [string, ...string[]], options: InFolder & WithProvider) =>
        (await actions()).runInSandbox(words, options),
      ),
    );
}
