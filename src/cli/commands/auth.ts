import {Argument, type Command, Option} from 'commander';
import {keyProviders, type KeyProvider} from '../../domain/api-key.ts';
import {exiting} from '../../app/exit-code.ts';

/** Loaded when one of the commands is called. */
const actions = () => import('./auth/run-auth.ts');

/** `weft auth status|login|logout`, which are also commands of their own. */
export function addAuth(program: Command): void {
  addKeyCommands(program.command('auth').description('List, keep and remove API keys'));
  addKeyCommands(program);
}

function addKeyCommands(parent: Command): void {
  parent
    .command('status')
    .description('Show which keys there are and where they come from (never the keys)')
    .action(exiting(async () => (await actions()).authStatus()));
  parent
    .command('login')
    .description('Keep the API key on stdin: in the keychain where one answers, else in a file that is yours alone')
    .addOption(new Option('--provider <name>', 'provider of the key, if its form does not tell').choices(keyProviders))
    .action(exiting(async (options: {readonly provider?: KeyProvider}) => (await actions()).authLogin(options)));
  parent
    .command('logout')
    .description('Remove kept keys: all of them, or one provider’s')
    .addArgument(new Argument('[provider]', 'provider of the key').choices(keyProviders))
    .action(exiting(async (provider: KeyProvider | undefined) => (await actions()).authLogout(provider)));
}
