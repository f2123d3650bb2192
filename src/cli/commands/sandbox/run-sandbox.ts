import {type ChildProcess, spawn} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import {constants, homedir} from 'node:os';
import {ok} from '../../../base/outcome.ts';
import {visibleLine} from '../../../base/visible.ts';
import {causeText} from '../../../domain/fault.ts';
import {
  coversAll,
  type HostsProof,
  nativeProof,
  nothingProven,
  type Proof,
  provenText,
  type ProviderName,
  providerNames,
} from '../../../domain/sandbox.ts';
import {isProtectedBelow} from '../../../safety/paths/protected-paths.ts';
import {findShell} from '../../../workspace/exec/shell-start.ts';
import {shellEnvironment} from '../../../workspace/exec/shell-environment.ts';
import {userPath} from '../../../workspace/exec/trusted-path.ts';
import {loadProvider, withProxy} from '../../../workspace/sandbox/make-sandbox.ts';
import {askNobody} from '../../../workspace/sandbox/host-gate.ts';
import {openLaunch} from '../../../workspace/sandbox/launch.ts';
import {probeProvider} from '../../../workspace/sandbox/probe.ts';
import {commandSandbox} from '../../compose/command-sandbox.ts';
import {userPlaces} from '../../compose/user-data.ts';
import {existingFolder, loadRunContext} from '../../compose/run-context.ts';
import {exitCode, type ExitCode} from '../../exit-code.ts';
import type {InFolder, JsonOption} from '../../flags.ts';
import {note, print, printJson} from '../../output.ts';

/** `weft sandbox providers`: each backend, whether it is there, and what it is. */
export async function listProviders({json}: JsonOption): Promise<ExitCode> {
  const rows = await providerRows();
  if (json !== undefined) {
    printJson(`${JSON.stringify(rows, undefined, 2)}\n`);
    return exitCode.done;
  }
  for (const {provider: name, installed, version, reason} of rows) {
    const state = installed ? version : `not available: ${reason}`;
    print(
      `${installed ? '✓' : '✗'} ${name.padEnd(7)} ${descriptions[name]}${state === '' ? '' : ` (${visibleLine(state)})`}\n`,
    );
  }
  return exitCode.done;
}

/** Each backend, and whether it is installed. */
export const providerRows = () =>
  Promise.all(providerNames.map(async provider => ({provider, ...(await findProvider(provider))})));

const descriptions: Readonly<Record<ProviderName, string>> = {
  native: 'commands run as you, nothing is confined',
  bwrap: 'bubblewrap: namespaces of Linux',
  claude: '@anthropic-ai/sandbox-runtime: bubblewrap on Linux, Seatbelt on macOS',
  codex: 'codex sandbox: bubblewrap and seccomp on Linux, Seatbelt on macOS',
};

async function findProvider(
  name: ProviderName,
): Promise<{readonly installed: boolean; readonly version: string; readonly reason: string}> {
  const provider = await loadProvider(name);
  if (provider === 'native') return {installed: true, version: '', reason: ''};
  const found = await provider.find();
  return found.tag === 'ok'
    ? {installed: true, version: found.value.version, reason: ''}
    : {installed: false, version: '', reason: found.error};
}

/**
 * `weft sandbox test`: tries each backend anew. As JSON an array, with `--provider` one object, and the exit code then says whether it
 * works.
 */
export async function testProviders({
  provider,
  json,
}: JsonOption & {readonly provider?: ProviderName}): Promise<ExitCode> {
  const proofs: TriedProof[] = [];
  for (const name of provider === undefined ? providerNames : [provider]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other: each watches the machine
    proofs.push(await tryProvider(name));
  }
  if (json === undefined) for (const proof of proofs) print(`${proofLine(proof)}${hostsText(proof)}\n`);
  else printJson(`${JSON.stringify(provider === undefined ? proofs : proofs[0], undefined, 2)}\n`);
  const [only] = proofs;
  return provider === undefined || only?.works === true ? exitCode.done : exitCode.failed;
}

/** `hosts`: what was seen where hosts are allowed, and weft's proxy is the network of commands. */
interface TriedProof extends Omit<Proof, 'hosts'> {
  readonly hosts: HostsProof;
}

async function tryProvider(name: ProviderName): Promise<TriedProof> {
  const provider = await loadProvider(name);
  if (provider === 'native') return {...nativeProof, hosts: {proven: false, reason: 'nothing is confined'}};
  const places = userPlaces();
  try {
    mkdirSync(places.data, {recursive: true, mode: 0o700});
  } catch {
    return {
      provider: name,
      works: false,
      proven: nothingProven,
      reason: `${places.data} cannot be made, where it is tried`,
      hosts: {proven: false, reason: 'it was not tried'},
    };
  }
  const options = {folder: places.data, home: homedir(), isProtected: isProtectedBelow};
  const proof = await probeProvider(provider, options, AbortSignal.timeout(60_000));
  if (!withProxy.has(name)) return {...proof, hosts: {proven: false, reason: 'its commands reach no host'}};
  if (!proof.works) return {...proof, hosts: {proven: false, reason: 'it does not work'}};
  const {probeHosts} = await import('../../../workspace/sandbox/probe-hosts.ts');
  return {...proof, hosts: await probeHosts(provider, options, AbortSignal.timeout(60_000))};
}

/** What is said of the proxy where a backend has one. */
const hostsText = ({provider, works, hosts: {proven, reason}}: TriedProof): string =>
  !works || !withProxy.has(provider)
    ? ''
    : proven
      ? '; hosts that rules allow are reached through the proxy, and no others'
      : `; hosts cannot be allowed: ${visibleLine(reason)}`;

/** What a proof says, in one line. */
export function proofLine({provider, works, proven, reason}: Omit<Proof, 'hosts'>): string {
  const stops = provenText({proven, hosts: 'closed'});
  const mark = works && stops !== '' ? '✓' : works ? '!' : '✗';
  const text = stops === '' ? reason : `proven: ${stops}${reason === '' ? '' : `; ${reason}`}`;
  return `${mark} ${provider.padEnd(7)} ${visibleLine(text)}`;
}

/**
 * `weft sandbox run`: runs a command in the sandbox of the settings, or in the one that is named, with the terminal of weft. The exit
 * code is the command's; 1 where no backend could be proven.
 */
export async function runInSandbox(
  words: readonly [string, ...string[]],
  {provider, cwd}: InFolder & {readonly provider?: ProviderName},
): Promise<ExitCode> {
  const directory = existingFolder(cwd ?? '.');
  const context = loadRunContext({directory, added: [], options: {sessionPersistence: true, color: true}});
  const {roots, settings} = context;
  const environment = {...process.env, PATH: userPath()};
  const sandbox = commandSandbox(context, provider ?? (coversAll(settings.sandbox) ? settings.sandbox : 'bwrap'));
  const [first, ...others] = words;
  const argv: readonly [string, ...string[]] =
    others.length === 0 && /\s/u.test(first) ? [findShell(environment, roots), '-c', first] : words;
  const variables = {given: environment, own: settings.env, passed: settings.passEnv, roots};
  const launched = await openLaunch(sandbox, {
    argv,
    directory,
    environment: shellEnvironment(variables, {runTag: '', channel: 'terminal', environment: 'inherited'}),
    confinement: 'chosen',
    hosts: askNobody,
    terminal: 'shared',
  });
  if (launched.tag === 'failed') {
    note(`the command was not started: ${launched.error}`);
    return exitCode.failed;
  }
  const launch = launched.value;
  const [program, ...args] = argv;
  let child: ChildProcess | undefined;
  const pass = (signal: NodeJS.Signals): void => void child?.kill(signal);
  for (const signal of passed) process.on(signal, pass);
  const begin = launch.begin(
    enclosure => (enclosure.kind === 'plain' ? {program, args, environment} : enclosure),
    new AbortController().signal,
  );
  try {
    const begun = await begin(async start => {
      child = spawn(start.program, start.args, {cwd: directory, env: start.environment, stdio: 'inherit'});
      const ended = endOf(child);
      return ok({started: ended, ended, discard: async () => 'see above'});
    });
    const end = begun.tag === 'ok' ? await begun.value : begun.error;
    for (const line of (await launch.end('none', AbortSignal.abort())).notes) note(line);
    if (typeof end === 'string') {
      note(`${program} could not be started: ${end}`);
      return exitCode.failed;
    }
    process.exitCode = end;
    return exitCode.done;
  } finally {
    for (const signal of passed) process.off(signal, pass);
    await sandbox.close();
  }
}

/** Its exit code as shells have it; a text where it did not start. */
function endOf(child: ChildProcess): Promise<number | string> {
  const {promise, resolve} = Promise.withResolvers<number | string>();
  child.once('error', cause => resolve(causeText(cause)));
  child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  return promise;
}

const passed = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
