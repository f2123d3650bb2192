import {Argument, type Command, Option} from 'commander';
import {keyProviders, type KeyProvider} from '../../domain/api-key.ts';
import {exiting} from '../../app/exit-code.ts';

/** Loaded when one of the commands is called. */
const actions = () => import('./auth/run-auth.ts');

/** `weft auth`, whose subcommands are also commands of their own: `weft status`, `weft login` and `weft logout`. */
export function add(command: Command, program: Command): void {
  const name = command.name();
  if (name !== 'auth') keyCommands[name]?.(command);
  for (const [each, addFlags] of name === 'auth' ? Object.entries(keyCommands) : [])
    addFlags(command.command(each).description(program.commands.find(own => own.name() === each)?.description() ?? ''));
}

const keyCommands: Readonly<Record<string, (command: Command) => void>> = {
  status(command) {
    command.action(exiting(async () => (await actions()).authStatus()));
  },
  login(command) {
    command
      .addOption(
        new Option('--provider <name>', 'provider of the key, if its form does not tell').choices(keyProviders),
      )
      .action(exiting(async (options: {readonly provider?: KeyProvider}) => (await actions()).authLogin(options)));
  },
  logout(command) {
    command
      .addArgument(new Argument('[provider]', 'provider of the key').choices(keyProviders))
      .action(exiting(async (provider: KeyProvider | undefined) => (await actions()).authLogout(provider)));
  },
};
