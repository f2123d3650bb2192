import {fstatSync} from 'node:fs';
import {Argument, type Command, Option} from 'commander';
import {visibleLine} from '../../base/visible.ts';
import {
  keptProviders,
  type KeptProvider,
  keyProviders,
  type KeyProvider,
  modelProviders,
  providerNames,
  recognizeKey,
  rowKeyVariables,
} from '../../domain/api-key.ts';
import {type WayFound, type WayName, wayNames, waysIn} from '../../domain/ways-in.ts';
import {exiting, exitCode, type ExitCode, unwrap, UsageError} from '../../app/exit-code.ts';
import {unreachable} from '../../base/unreachable.ts';
import {checkKey} from '../../models/list-models.ts';
import {openApiKeys} from '../../app/api-keys.ts';
import {configuredProvider, keyText, knownProvider, modelChoice, providerNamed} from '../../app/choose-model.ts';
import {usedProviderText} from '../../app/model-setup.ts';
import {requireOutsideWeft} from '../../app/folder-trust.ts';
import {contextFor} from '../../app/run-context.ts';
import {userPlaces} from '../../app/user-data.ts';
import {note, print, printJson, wrapped} from '../../app/output.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';
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
    command.option(...jsonFlag).action(exiting(authStatus));
  },
  login(command) {
    command
      .addArgument(new Argument('[way]', 'The way to try, or to sign in to').choices(wayNames))
      .addOption(
        new Option('--provider <name>', 'Provider of the key, if weft cannot tell from the key').choices(keyProviders),
      )
      .action(exiting(authLogin));
  },
  logout(command) {
    command
      .addArgument(new Argument('[provider]', 'Provider of the key').choices(keptProviders))
      .action(exiting(authLogout));
  },
};

const openKeys = () => openApiKeys(userPlaces(), process.env);

/** The sources of keys, for the provider's own address or that of the environment. */
const choice = () => ({...modelChoice(contextFor({})), baseUrl: undefined});

/** `weft auth status`: one line for each provider that has or could have a saved key, or has one in the environment. */
async function authStatus({json}: JsonOption): Promise<ExitCode> {
  const full = modelChoice(contextFor({}));
  if (json === true) {
    const isConfigured = configuredProvider(full) !== undefined;
    // The fields that programs read from `claude auth status --json`.
    const authMethod = isConfigured ? await usedProviderText(full) : 'none';
    printJson(`${JSON.stringify({loggedIn: isConfigured, authMethod})}\n`);
    return isConfigured ? exitCode.done : exitCode.failed;
  }
  for (const name of keyProviders) {
    const provider = knownProvider(name, choice());
    print(`${provider.title.padEnd(9)}  ${await keyText(provider, choice())}\n`);
  }
  const set = Object.entries(rowKeyVariables).flatMap(([name, variable]) => (process.env[variable] ? [name] : []));
  for (const name of new Set([...set, ...Object.keys(full.providers)])) {
    const provider = await providerNamed(name, choice());
    print(`${provider.title.padEnd(9)}  ${await keyText(provider, choice())}\n`);
  }
  const keys = openKeys();
  const signIn = keys.kept().find(({provider}) => provider === 'chatgpt');
  if (signIn !== undefined) print(`ChatGPT    sign-in saved in ${keys.placeText(signIn)}\n`);
  const used = configuredProvider(full);
  if (used === undefined || used === 'replay' || keyProviders.some(name => name === used)) return exitCode.done;
  print(`weft uses ${await usedProviderText(full)}\n`);
  return exitCode.done;
}

/** `weft auth login`: saves the key on stdin, signs in, or lists the ways to a model and tries them. */
async function authLogin(
  way: WayName | undefined,
  {provider = keyProviders.find(name => name === way)}: {readonly provider?: KeyProvider},
): Promise<ExitCode> {
  if (way === 'chatgpt') return (await import('./login-chatgpt.ts')).loginChatGpt();
  if (way !== undefined && provider === undefined) return tryNamed(way);
  // A terminal and /dev/null contain no key.
  if (fstatSync(0).isCharacterDevice()) {
    await listWays();
    return exitCode.done;
  }
  const text = await readStdin('end');
  if (text.trim() === '')
    throw new UsageError(
      'No key on stdin. Pass it: weft login < key.txt. For the other ways to a model, run: weft login < /dev/null',
    );
  await requireOutsideWeft('Saving a key');
  const given = givenKey(text, provider);
  const {baseUrl = ''} = knownProvider(given.provider, choice());
  const checked = unwrap(await checkKey({...given, baseUrl, environment: process.env}, AbortSignal.timeout(checkMs)));
  const place = unwrap(await openKeys().keep({...given, baseUrl}));
  const name = providerNames[given.provider];
  const unchecked = checked === 'accepted' ? '' : `. Couldn't verify it with ${name} (no network)`;
  note(`saved the ${name} key in ${place}${unchecked}`);
  return exitCode.done;
}

const marks = {works: '✓', refused: '✗', unproven: '!', absent: '-'} as const satisfies Record<
  WayFound['state'],
  string
>;

const states = {
  works: 'works',
  refused: 'does not work',
  unproven: 'not proven',
  absent: 'not set up',
} as const satisfies Record<WayFound['state'], string>;

const printWay = ({name, state, detail}: WayFound): void => {
  const isNever = name === 'claude' || name === 'copilot';
  const head = `${marks[state]} ${waysIn[name].title} (${name}): ${isNever ? 'as an agent' : states[state]}`;
  print(`${wrapped(head, '  ')}\n    ${wrapped(visibleLine(detail), '    ')}\n`);
};

async function listWays(): Promise<void> {
  const {tryWays} = await import('../../app/try-ways.ts');
  for (const found of await tryWays(choice(), new AbortController().signal)) printWay(found);
  print(`\n${wrapped('Try one: weft login NAME. Each test is one free request.', '')}\n`);
}

/** Tries a way that needs no key on stdin. The exit code is 1 if it does not work. */
async function tryNamed(way: WayName): Promise<ExitCode> {
  const {tryWay} = await import('../../app/try-ways.ts');
  const found = await tryWay(way, choice(), {signal: new AbortController().signal, isNamed: true});
  printWay(found);
  const {state} = found;
  const provider = modelProviders.find(name => name === way);
  if (provider !== undefined && state !== 'refused' && state !== 'absent') {
    print(`    Use it: weft --provider ${provider}. Make it the default: weft config set provider ${provider}\n`);
  }
  return state === 'works' || state === 'unproven' ? exitCode.done : exitCode.failed;
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
async function authLogout(provider: KeptProvider | undefined): Promise<ExitCode> {
  await requireOutsideWeft('Removing a key');
  const keys = openKeys();
  const found = keys.kept().filter(kept => provider === undefined || kept.provider === provider);
  for (const kept of found) {
    unwrap(await keys.forget(kept));
    const what = kept.provider === 'chatgpt' ? 'sign-in' : 'key';
    note(`removed the ${providerNames[kept.provider]} ${what} from ${keys.placeText(kept)}`);
  }
  if (found.length > 0) return exitCode.done;
  note('no saved key');
  return exitCode.failed;
}
