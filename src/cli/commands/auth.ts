import {Argument, type Command, Option} from 'commander';
import {
  cloudWays,
  keyProviders,
  planWays,
  type KeyProvider,
  providerNames,
  recognizeKey,
  rowKeyVariables,
} from '../../domain/api-key.ts';
import {exiting, exitCode, type ExitCode, unwrap, UsageError} from '../../app/exit-code.ts';
import {unreachable} from '../../base/unreachable.ts';
import {checkKey} from '../../models/list-models.ts';
import {openApiKeys} from '../../app/api-keys.ts';
import {configuredProvider, keyText, knownProvider, modelChoice, providerNamed} from '../../app/choose-model.ts';
import {usedProviderText} from '../../app/model-setup.ts';
import {requireOutsideWeft} from '../../app/folder-trust.ts';
import {contextFor} from '../../app/run-context.ts';
import {userPlaces} from '../../app/user-data.ts';
import {note, print} from '../../app/output.ts';
import {readStdin} from '../stdin.ts';

/** `weft auth`. Its subcommands are also top-level commands: `weft status`, `weft login` and `weft logout`. */
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
        new Option('--provider <name>', 'Provider of the key, if weft cannot tell from the key').choices(keyProviders),
      )
      .action(exiting(authLogin));
  },
  logout(command) {
    command
      .addArgument(new Argument('[provider]', 'Provider of the key').choices(keyProviders))
      .action(exiting(authLogout));
  },
};

const openKeys = () => openApiKeys(userPlaces(), process.env);

/** The sources of keys, for the provider's own address or that of the environment. */
const choice = () => ({...modelChoice(contextFor({})), baseUrl: undefined});

/** `weft auth status`: one line for each provider that has or could have a saved key, or has one in the environment. */
async function authStatus(): Promise<ExitCode> {
  const full = modelChoice(contextFor({}));
  for (const name of keyProviders) {
    const provider = knownProvider(name, choice());
    print(`${provider.title.padEnd(9)}  ${await keyText(provider, choice())}\n`);
  }
  const set = Object.entries(rowKeyVariables).flatMap(([name, variable]) => (process.env[variable] ? [name] : []));
  for (const name of new Set([...set, ...Object.keys(full.providers)])) {
    const provider = await providerNamed(name, choice());
    print(`${provider.title.padEnd(9)}  ${await keyText(provider, choice())}\n`);
  }
  const used = configuredProvider(full);
  if (used === undefined || used === 'replay' || keyProviders.some(name => name === used)) return exitCode.done;
  print(`weft uses ${await usedProviderText(full)}\n`);
  return exitCode.done;
}

/** `weft auth login`: saves the key on stdin after the provider has accepted it. */
async function authLogin(options: {readonly provider?: KeyProvider}): Promise<ExitCode> {
  await requireOutsideWeft('Saving a key');
  if (process.stdin.isTTY) {
    throw new UsageError(
      [
        'Pass the key on stdin: weft auth login < key.txt. Or start weft, type /login and paste it.',
        ...cloudWays,
        ...planWays,
      ].join('\n  '),
    );
  }
  const text = await readStdin('end');
  if (text.trim() === '') throw new UsageError('No key on stdin. Pass it: weft login < key.txt');
  const {provider, key} = givenKey(text, options.provider);
  const {baseUrl = ''} = knownProvider(provider, choice());
  const checked = unwrap(
    await checkKey({provider, key, baseUrl, environment: process.env}, AbortSignal.timeout(checkMs)),
  );
  const place = unwrap(await openKeys().keep({provider, key, baseUrl}));
  const unchecked = checked === 'accepted' ? '' : `. Couldn't verify it with ${providerNames[provider]} (no network)`;
  note(`saved the ${providerNames[provider]} key in ${place}${unchecked}`);
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
      throw new UsageError(`Can't tell which provider this key is for. Add --provider ${keyProviders.join('|')}.`);
    case 'other-service':
      throw new UsageError(
        `This is a ${pasted.service} key. Set OPENAI_BASE_URL=${pasted.baseUrl} and OPENAI_API_KEY instead.`,
      );
    case 'no-key':
      throw new UsageError(pasted.reason);
    default:
      return unreachable(pasted);
  }
}

/** `weft auth logout`: removes saved keys. The exit code is 1 if there are none. */
async function authLogout(provider: KeyProvider | undefined): Promise<ExitCode> {
  await requireOutsideWeft('Removing a key');
  const keys = openKeys();
  const found = keys.kept().filter(kept => provider === undefined || kept.provider === provider);
  for (const kept of found) {
    unwrap(await keys.forget(kept));
    note(`removed the ${providerNames[kept.provider]} key from ${keys.placeText(kept)}`);
  }
  if (found.length > 0) return exitCode.done;
  note('no saved key');
  return exitCode.failed;
}
