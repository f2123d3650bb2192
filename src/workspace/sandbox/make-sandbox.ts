import {hash} from 'node:crypto';
import {mkdirSync, readdirSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {AskHost} from '../../actions/ports.ts';
import {isJsonObject, type JsonObject, parseJson} from '../../base/json.ts';
import {failed, ok, type Outcome, tryOr} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {
  confines,
  sandboxesAllCommands,
  type HostsProof,
  nativeProof,
  nothingProven,
  type Proof,
  type ProviderName,
  type SandboxChoice,
} from '../../domain/sandbox.ts';
import {causeText} from '../../domain/fault.ts';
import type {Confinement} from '../../domain/risk.ts';
import {realPath} from '../files/resolve-path.ts';
import {readLink, readTextFile} from '../exec/process-table.ts';
import {deniedFiles, hiddenPaths} from './hidden-paths.ts';
import type {FilteredNetwork} from './open-network.ts';
import {viewProblem} from './explain-failure.ts';
import {changesFolder} from '../../config/places.ts';
import type {ChangesContext} from './changes/held-set.ts';
import type {
  CommandSandbox,
  EnclosedStart,
  EncloseRequest,
  SandboxPolicy,
  SandboxProvider,
  SandboxSession,
} from './sandbox.ts';

export interface SandboxOptions extends Pick<ChangesContext, 'roots' | 'isProtected' | 'isSecret' | 'environment'> {
  readonly choice: SandboxChoice;
  readonly home: string;
  /** The folders of weft's settings, grants and sessions. */
  readonly ownFolders: readonly string[];
  /** The folder for a proof, which is valid until the machine restarts. */
  readonly proofFolder: string;
  /** See `deniedReadGlobs`; called for every command, because rules change. */
  readonly deniedReads: () => readonly string[];
  /** Folders outside the workspace that commands may read although they are in the temporary folder. */
  readonly readable: () => readonly string[];
  readonly network: SandboxNetwork;
}

/** Opens the network for commands in the sandbox. */
export interface SandboxNetwork {
  /** Whether commands may reach any host; called for every command, because rules change. */
  readonly canReachHosts: () => boolean;
  readonly open: (request: {readonly folder: string; readonly ask: AskHost}) => Promise<FilteredNetwork>;
}

/** Backends whose commands reach hosts through weft's proxy; the others have no network. */
export const proxyBackends: ReadonlySet<ProviderName> = new Set(['bwrap']);

/** A change in the meaning of a policy invalidates earlier proofs. Increase this number with every such change. */
const policyVersion = 4;

const workspaceFor = {sandbox: 'held', chosen: 'writable', 'read-only': 'read-only'} as const;

/** Loads and searches nothing before the first command in the sandbox. */
export function makeSandbox(options: SandboxOptions): CommandSandbox {
  const {choice} = options;
  const roots = (): readonly [string, ...string[]] => {
    const [first, ...others] = options.roots;
    return [realPath(first), ...others.map(root => realPath(root))];
  };
  let proving: Promise<Proof> | undefined;
  let opened: Promise<SandboxSession & {close(): Promise<void>}> | undefined;
  let nested: Promise<readonly string[]> | undefined;

  let provingHosts: Promise<HostsProof> | undefined;
  /** The proof, with closed hosts and with open ones. */
  let known: readonly [Proof, Proof] | undefined;

  const prove = (): Promise<Proof> =>
    (proving ??= proofOf(options)
      .then(checkForWorkspace)
      .then(proof => {
        known = [proof, {...proof, hosts: proxyBackends.has(proof.provider) ? 'open' : 'closed'}];
        return proof;
      }));

  /** Rules change while weft runs. Returns the same object until the rules change. */
  const currentProof = (): Proof | 'unknown' => known?.[options.network.canReachHosts() ? 1 : 0] ?? 'unknown';

  /** Checks the proof for this workspace: the proof covers the machine, but the kernel may not support a view of this folder. */
  async function checkForWorkspace(proof: Proof): Promise<Proof> {
    const provider = await loadProvider(proof.provider);
    if (!proof.proven.overlay || provider === 'native') return proof;
    const policy = await policyFor('sandbox');
    if (policy.tag === 'failed') return proof;
    const [directory] = policy.value.roots;
    const start = await provider.enclose({
      argv: ['true'],
      directory,
      environment: {},
      terminal: 'own',
      policy: policy.value,
    });
    if (start.tag === 'failed')
      return {...proof, proven: {...proof.proven, overlay: false}, reason: viewProblem(start.error)};
    if (start.value.view !== 'direct') start.value.view.close();
    start.value.release();
    return proof;
  }

  async function policyFor(confinement: Exclude<Confinement, 'outside'>): Promise<Outcome<SandboxPolicy, string>> {
    opened ??= import('./session.ts').then(({openSession}) => {
      void import('./leftovers.ts').then(({removeLeftSessions}) => removeLeftSessions(options.proofFolder));
      return openSession();
    });
    const real = roots();
    const {neededFolders} = await import('./bwrap.ts');
    nested ??= Promise.resolve(nestedProtected(real, options.isProtected));
    const denied = deniedFiles(options.deniedReads(), real);
    if (denied.tag === 'failed') return denied;
    return ok({
      roots: real,
      home: realPath(options.home),
      workspace: workspaceFor[confinement],
      places: [options.proofFolder, tmpdir()].map(place => realPath(place)),
      readChanges: async (view, signal) => {
        const {openHeldChanges} = await import('./changes/open-changes.ts');
        const {isProtected, isSecret, environment, proofFolder} = options;
        return openHeldChanges(
          view,
          {roots: real, isProtected, isSecret, environment, folder: changesFolder(proofFolder)},
          signal,
        );
      },
      repository: confinement === 'chosen' ? 'guarded' : 'read-only',
      network: {kind: 'closed'},
      hidden: [
        ...hiddenPaths({home: options.home, environment: options.environment, own: options.ownFolders}),
        ...denied.value,
      ],
      readable: [...options.readable(), ...neededFolders(real)],
      isProtected: options.isProtected,
      nested: await nested,
      session: await opened,
    });
  }

  /** Opens the proxy, once the probe has proven it. A failure says why the network stays closed. */
  async function openProvenNetwork(
    provider: SandboxProvider,
    {folder}: SandboxSession,
    ask: AskHost,
  ): Promise<Outcome<FilteredNetwork, string>> {
    const proof = await (provingHosts ??= hostsProofOf(provider, options));
    if (!proof.proven) return failed(`weft could not prove that its proxy lets nothing else through (${proof.reason})`);
    try {
      return ok(await options.network.open({folder, ask}));
    } catch (cause) {
      // For example, the name of the temporary folder is too long for a socket.
      return failed(`weft's proxy could not be opened (${causeText(cause)})`);
    }
  }

  async function encloseInside(
    confinement: Exclude<Confinement, 'outside'>,
    {confinement: _given, hosts, ...request}: EncloseRequest,
  ): Promise<Outcome<EnclosedStart, string>> {
    const proof = await prove();
    if (!confines(proof)) return failed(proof.reason);
    const [provider, policy] = await Promise.all([loadProvider(proof.provider), policyFor(confinement)]);
    if (provider === 'native') return failed(nativeProof.reason);
    if (policy.tag === 'failed') return policy;
    if (hosts === 'all') {
      return proxyBackends.has(proof.provider)
        ? provider.enclose({...request, policy: {...policy.value, network: {kind: 'open'}}})
        : failed(`the sandbox ${proof.provider} has no network`);
    }
    // A planning command must not send data out either.
    if (
      hosts === 'none' ||
      confinement === 'read-only' ||
      !proxyBackends.has(proof.provider) ||
      !options.network.canReachHosts()
    ) {
      return provider.enclose({...request, policy: policy.value});
    }
    const open = await openProvenNetwork(provider, policy.value.session, hosts);
    if (open.tag === 'failed') {
      const closed = await provider.enclose({...request, policy: policy.value});
      const note = `the command had no network: ${open.error}`;
      return closed.tag === 'ok' ? ok({...closed.value, release: () => [...closed.value.release(), note]}) : closed;
    }
    const network = open.value;
    const start = await provider.enclose({...request, policy: {...policy.value, network}});
    if (start.tag === 'failed') {
      network.close();
      return start;
    }
    return ok({...start.value, release: () => [...start.value.release(), ...network.close()]});
  }

  return {
    async enclose(request) {
      const {confinement} = request;
      switch (confinement) {
        case 'outside':
          return ok({kind: 'plain'});
        case 'chosen':
          return sandboxesAllCommands(choice) ? encloseInside(confinement, request) : ok({kind: 'plain'});
        case 'project':
          return encloseInside('chosen', request);
        case 'sandbox':
        case 'read-only':
          return encloseInside(confinement, request);
        default:
          return unreachable(confinement);
      }
    },
    async proof() {
      const proof = await prove();
      const now = currentProof();
      return now === 'unknown' ? proof : now;
    },
    known: currentProof,
    async close() {
      if (known !== undefined) {
        const provider = await loadProvider(known[0].provider);
        if (provider !== 'native') await provider.close();
      }
      await (await opened)?.close();
    },
  };
}

const providers: Readonly<Record<ProviderName, () => Promise<SandboxProvider | 'native'>>> = {
  native: async () => 'native',
  bwrap: async () => (await import('./bwrap.ts')).bwrap,
  codex: async () => (await import('./codex.ts')).codex,
  claude: async () => (await import('./claude.ts')).claude,
};

/** Returns a backend by its name, loaded on first use. */
export const loadProvider = (name: ProviderName): Promise<SandboxProvider | 'native'> => providers[name]();

/** Returns the proof for the chosen backend. A proof is stored, and valid while the machine, backend and policy are the same. */
async function proofOf({choice, ...options}: SandboxOptions): Promise<Proof> {
  const name = choice === 'auto' ? (process.platform === 'linux' ? 'bwrap' : 'native') : choice;
  const provider = await loadProvider(name);
  if (provider === 'native') return nativeProof;
  const found = await provider.find();
  if (found.tag === 'failed')
    return {provider: name, works: false, proven: nothingProven, hosts: 'closed', reason: found.error};
  const file = join(options.proofFolder, `sandbox-${name}.json`);
  const key = proofKey(name, found.value.version);
  const kept = readProof(file, key);
  if (kept !== undefined) {
    return {
      provider: name,
      works: true,
      proven: {files: true, network: true, processes: kept['processes'] === true, overlay: kept['overlay'] === true},
      hosts: 'closed',
      reason: typeof kept['reason'] === 'string' ? kept['reason'] : '',
    };
  }
  const {probeProvider} = await import('./probe.ts');
  mkdirSync(options.proofFolder, {recursive: true, mode: 0o700});
  const proof = await probeProvider(
    provider,
    {folder: options.proofFolder, home: options.home, isProtected: options.isProtected},
    AbortSignal.timeout(proofMs),
  );
  // A failed proof is not stored, because the cause may be fixed by the next try.
  if (confines(proof)) {
    const {processes, overlay} = proof.proven;
    writeProof(file, {key, provider: name, processes, overlay, reason: proof.reason});
  }
  return proof;
}

/** The time for a proof, in milliseconds. A backend that hangs longer counts as broken. */
const proofMs = 20_000;

/**
 * Returns the proof for a backend's filtered network. It is stored like the other proof. The probe runs when the first
 * command may reach a host.
 */
async function hostsProofOf(
  provider: SandboxProvider,
  {proofFolder}: Pick<SandboxOptions, 'proofFolder'>,
): Promise<HostsProof> {
  const found = await provider.find();
  if (found.tag === 'failed') return {proven: false, reason: found.error};
  const file = join(proofFolder, `sandbox-${provider.name}-hosts.json`);
  const key = proofKey(`${provider.name} hosts`, found.value.version);
  if (readProof(file, key) !== undefined) return {proven: true, reason: ''};
  const {probeHosts} = await import('./probe.ts');
  const proof = await probeHosts(provider, {folder: proofFolder}, AbortSignal.timeout(proofMs));
  if (proof.proven) writeProof(file, {key});
  return proof;
}

const proofKey = (name: string, version: string): string =>
  hash(
    'sha256',
    JSON.stringify([
      name,
      version,
      policyVersion,
      process.getuid?.() ?? '',
      process.version,
      readTextFile('/proc/sys/kernel/random/boot_id') ?? '',
      // A container of the same boot has other namespaces.
      namespaceIds(),
    ]),
    'hex',
  );

const namespaceIds = (): readonly string[] => ['user', 'pid', 'mnt'].map(name => readLink(`/proc/self/ns/${name}`));

/** Returns the proof stored under this key. Commands can't write a proof, because weft's own folder is hidden from them. */
function readProof(file: string, key: string): JsonObject | undefined {
  const read = parseJson(readTextFile(file) ?? '');
  return read.tag === 'ok' && isJsonObject(read.value) && read.value['key'] === key ? read.value : undefined;
}

function writeProof(file: string, content: JsonObject): void {
  try {
    writeFileSync(file, `${JSON.stringify(content)}\n`, {mode: 0o600});
  } catch {
    // The next weft probes again.
  }
}

/** Limits of the search for protected files: levels below a root, folders in all, and results. */
const maxDepth = 3;
const maxFolders = 2000;
const maxNested = 100;
const skippedFolders = new Set(['node_modules', '.git', 'target', 'dist', 'build', '.venv', 'vendor']);

/** Returns the protected files and folders deeper in the workspace, as of the first command. */
function nestedProtected(roots: readonly string[], isProtected: (belowRoot: string) => boolean): readonly string[] {
  const found: string[] = [];
  let folders = 0;
  const look = (folder: string, beginning: string, depth: number): void => {
    if (depth > maxDepth || folders > maxFolders) return;
    folders += 1;
    for (const entry of tryOr(() => readdirSync(folder, {withFileTypes: true}), [])) {
      if (entry.isSymbolicLink()) continue;
      const below = beginning + entry.name;
      if (isProtected(below)) {
        if (depth > 0 && found.length < maxNested && (entry.isDirectory() || entry.isFile()))
          found.push(join(folder, entry.name));
      } else if (entry.isDirectory() && !skippedFolders.has(entry.name))
        look(join(folder, entry.name), `${below}/`, depth + 1);
    }
  };
  for (const root of roots) look(root, '', 0);
  return found;
}
