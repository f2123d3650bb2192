import {Option, type Command} from 'commander';
import {
  type ProviderName,
  providerNames,
  type HostsProof,
  nativeProof,
  nothingProven,
  type Proof,
  provenText,
} from '../../domain/sandbox.ts';
import {exiting, exitCode, type ExitCode} from '../../app/exit-code.ts';
import {addSubcommands, folderFlag, jsonFlag, type JsonOption} from '../flags.ts';
import type {SandboxRunOptions} from './sandbox/run-command.ts';
import {mkdirSync} from 'node:fs';
import {homedir} from 'node:os';
import {visibleLine} from '../../base/visible.ts';
import {isProtectedBelow} from '../../safety/paths/protected-paths.ts';
import {loadProvider, proxyBackends} from '../../workspace/sandbox/make-sandbox.ts';
import {probeHosts, probeProvider} from '../../workspace/sandbox/probe.ts';
import {userPlaces} from '../../app/user-data.ts';
import {printDocument, printRows} from '../rows.ts';

const running = () => import('./sandbox/run-command.ts');

/** `weft sandbox providers|test|run|apply`. */
export function add(sandbox: Command): void {
  sandbox.enablePositionalOptions();
  const provider = new Option('--provider <name>', 'Sandbox backend').choices(providerNames);
  addSubcommands(sandbox, [
    ['providers', 'List the backends and which are installed', [jsonFlag], exiting(listProviders)],
    ['test', 'Prove what each backend stops on this machine', [provider, jsonFlag], exiting(testProviders)],
    [
      'run',
      'Run a command in the sandbox with this folder as its workspace, then apply its changes',
      [
        ['<command...>', 'Command; a single argument with spaces is passed to the shell'],
        provider,
        ['--dry', 'Apply nothing: show the changes as a diff, and save them for weft sandbox apply'],
        [
          '--json',
          "Print {id, exitCode, changes} or {exitCode, applied, dropped}; the command's output goes to stderr",
        ],
        folderFlag,
      ],
      exiting(async (words: readonly [string, ...string[]], options: SandboxRunOptions) =>
        (await running()).runInSandbox(words, options),
      ),
    ],
    [
      'apply',
      'Apply the changes of a dry run: all of them, or none if a file has changed since',
      [['<id>', 'ID from the dry run'], jsonFlag],
      exiting(async (id: string, options: JsonOption) => (await running()).applyKept(id, options)),
    ],
  ]);
  sandbox.commands.find(each => each.name() === 'run')?.passThroughOptions();
}

/** `weft sandbox providers`: prints each backend, whether it is installed, and what it is. */
async function listProviders({json}: JsonOption): Promise<ExitCode> {
  return printRows({
    rows: await providerRows(),
    json,
    line({provider, installed, version, reason}) {
      const state = installed ? version : `not available: ${reason}`;
      const shown = state === '' ? '' : ` (${visibleLine(state)})`;
      return `${installed ? '✓' : '✗'} ${provider.padEnd(7)} ${descriptions[provider]}${shown}`;
    },
    none: '',
  });
}

export const providerRows = () =>
  Promise.all(providerNames.map(async provider => ({provider, ...(await findProvider(provider))})));

const descriptions: Readonly<Record<ProviderName, string>> = {
  native: 'no sandbox: commands run as you',
  bwrap: 'bubblewrap: Linux namespaces',
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
 * `weft sandbox test`: tests each backend again. With `--json` it prints an array. With `--provider` it prints one object, and the exit
 * code says whether that backend works.
 */
async function testProviders({provider, json}: JsonOption & {readonly provider?: ProviderName}): Promise<ExitCode> {
  const proofs: TriedProof[] = [];
  for (const name of provider === undefined ? providerNames : [provider]) {
    proofs.push(await tryProvider(name));
  }
  const [only] = proofs;
  if (json !== undefined && provider !== undefined) printDocument(only);
  else printRows({rows: proofs, json, line: proof => `${proofLine(proof)}${hostsText(proof)}`, none: ''});
  return provider === undefined || only?.works === true ? exitCode.done : exitCode.failed;
}

/** A proof with `hosts`: the result with allowed hosts, if weft's proxy is the only network of commands. */
interface TriedProof extends Omit<Proof, 'hosts'> {
  readonly hosts: HostsProof;
}

/** The time in which one backend is tested, in milliseconds. If a backend hangs, weft must not seem to hang. */
const testMs = 7000;

async function tryProvider(name: ProviderName): Promise<TriedProof> {
  const provider = await loadProvider(name);
  if (provider === 'native') return {...nativeProof, hosts: {proven: false, reason: 'there is no sandbox'}};
  const places = userPlaces();
  try {
    mkdirSync(places.data, {recursive: true, mode: 0o700});
  } catch {
    return {
      provider: name,
      works: false,
      proven: nothingProven,
      reason: `can't create ${places.data} to test it in`,
      hosts: {proven: false, reason: 'not tested'},
    };
  }
  const options = {folder: places.data, home: homedir(), isProtected: isProtectedBelow};
  const proof = await probeProvider(provider, options, AbortSignal.timeout(testMs));
  if (!proxyBackends.has(name)) return {...proof, hosts: {proven: false, reason: 'its commands have no network'}};
  if (!proof.works) return {...proof, hosts: {proven: false, reason: 'it does not work'}};
  return {...proof, hosts: await probeHosts(provider, options, AbortSignal.timeout(testMs))};
}

const hostsText = ({provider, works, hosts: {proven, reason}}: TriedProof): string =>
  !works || !proxyBackends.has(provider)
    ? ''
    : proven
      ? '; commands reach hosts that rules allow through the proxy, and no others'
      : `; can't allow hosts: ${visibleLine(reason)}`;

function proofLine({provider, works, proven, reason}: Omit<Proof, 'hosts'>): string {
  const stops = provenText({proven, hosts: 'closed'});
  const mark = works && stops !== '' ? '✓' : works ? '!' : '✗';
  const text = stops === '' ? reason : `proven: ${stops}${reason === '' ? '' : `; ${reason}`}`;
  return `${mark} ${provider.padEnd(7)} ${visibleLine(text)}`;
}
