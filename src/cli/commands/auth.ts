import {Argument, type Command, Option} from 'commander';
import {keyProviders, type KeyProvider, providerNames, recognizeKey} from '../../domain/api-key.ts';
import {exiting, exitCode, type ExitCode, unwrap, UsageError} from '../../app/exit-code.ts';
import {unreachable} from '../../base/unreachable.ts';
import {checkKey} from '../../models/list-models.ts';
import {openApiKeys} from '../../app/api-keys.ts';
import {baseUrlOf, keyText} from '../../app/choose-model.ts';
import {requireOutsideWeft} from '../../app/folder-trust.ts';
import {userPlaces} from '../../app/user-data.ts';
import {note, print} from '../../app/output.ts';
import {readStdin} from '../stdin.ts';

/** `weft auth`, whose subcommands are also commands of their own: `weft status`, `weft login` and `weft logout`. */
export function add(command: Command, program: Command): void {
  const name = command.name();
  if (name !== 'auth') keyCommands[name]?.(command);
  for (const [each, addFlags] of name === 'auth' ? Object.entries(keyCommands) : [])
    addFlags(command.command(each).description(program.commands.find(own => own.name() === each)?.description() ?? ''));
}

const keyCommands: Readonly<Record<string, (command: Command) => void>> = {
  status(command) {
    command.action(exiting(authStatus));
  },
  login(command) {
    command
      .addOption(
        new Option('--provider <name>', 'provider of the key, if its form does not tell').choices(keyProviders),
      )
      .action(exiting(authLogin));
  },
  logout(command) {
    command
      .addArgument(new Argument('[provider]', 'provider of the key').choices(keyProviders))
      .action(exiting(authLogout));
  },
};

const openKeys = () => openApiKeys(userPlaces(), process.env);

/** What decides on a key beside the settings of a folder. */
const choice = () => ({baseUrl: undefined, environment: process.env, apiKeys: openKeys()});

/** `weft auth status`: one line for each provider. */
async function authStatus(): Promise<ExitCode> {
  for (const provider of keyProviders) print(`${providerNames[provider].padEnd(9)}  ${keyText(provider, choice())}\n`);
  return exitCode.done;
}

/** `weft auth login`: keeps the key on stdin, once the provider has taken it. */
async function authLogin(options: {readonly provider?: KeyProvider}): Promise<ExitCode> {
  await requireOutsideWeft('Keeping a key');
  if (process.stdin.isTTY) {
    throw new UsageError(
      'The key is read from stdin: weft auth login < key.txt. Or start weft, type /login and paste it.',
    );
  }
  const text = await readStdin('end');
  if (text.trim() === '') throw new UsageError('No key came in on stdin. Give it: weft login < key.txt');
  const {provider, key} = givenKey(text, options.provider);
  const baseUrl = baseUrlOf(provider, choice()) ?? '';
  const checked = unwrap(
    await checkKey({provider, key, baseUrl, environment: process.env}, AbortSignal.timeout(checkMs)),
  );
  const place = unwrap(await openKeys().keep({provider, key, baseUrl}));
  const unchecked = checked === 'accepted' ? '' : `; ${providerNames[provider]} could not be asked about it`;
  note(`the ${providerNames[provider]} key is kept in ${place}${unchecked}`);
  return exitCode.done;
}

const checkMs = 10_000;

function givenKey(text: string, provider: KeyProvider | undefined) {
  const pasted = recognizeKey(text);
  switch (pasted.kind) {
    case 'key':
      return {key: pasted.key, provider: provider ?? pasted.provider};
    case 'unclear':
      if (provider !== undefined) return {key: pasted.key, provider};
      throw new UsageError(`This key could be of any provider: add --provider ${keyProviders.join('|')}.`);
    case 'other-service':
      throw new UsageError(
        `This is a key of ${pasted.service}: set OPENAI_BASE_URL=${pasted.baseUrl} and OPENAI_API_KEY instead.`,
      );
    case 'no-key':
      throw new UsageError(pasted.reason);
    default:
      return unreachable(pasted);
  }
}

/** `weft auth logout`: removes kept keys; exit code 1 where there is none. */
async function authLogout(provider: KeyProvider | undefined): Promise<ExitCode> {
  await requireOutsideWeft('Removing a key');
  const keys = openKeys();
  const found = keys.kept().filter(kept => provider === undefined || kept.provider === provider);
  for (const kept of found) {
    unwrap(await keys.forget(kept));
    note(`the ${providerNames[kept.provider]} key is removed from ${keys.placeText(kept)}`);
  }
  if (found.length > 0) return exitCode.done;
  note('no key is kept');
  return exitCode.failed;
}
