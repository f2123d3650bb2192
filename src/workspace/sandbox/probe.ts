import {execFile, spawn} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {createSocket, type Socket as UdpSocket} from 'node:dgram';
import {once} from 'node:events';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {createServer, connect, type Server} from 'node:net';
import {networkInterfaces} from 'node:os';
import {join, relative} from 'node:path';
import {promisify} from 'node:util';
import {ok, type Outcome} from '../../base/outcome.ts';
import {type HostsProof, type Proof, nothingProven, type Proven} from '../../domain/sandbox.ts';
import {causeText} from '../../domain/fault.ts';
import {commandLineOf, processTable} from '../exec/process-table.ts';
import {findProgram} from '../exec/trusted-path.ts';
import {machineNetwork, type HostNetwork} from '../web/connect-host.ts';
import {toBytes} from './changes/path-bytes.ts';
import {isWhiteout} from './changes/scan-layer.ts';
import {explainSandboxFailure, viewProblem} from './explain-failure.ts';
import {openNetwork} from './open-network.ts';
import {type EnclosedEnd, skipChanges, runEnclosed} from './run-enclosed.ts';
import type {SandboxPolicy, SandboxProvider} from './sandbox.ts';
import {openSession, forceRemove} from './session.ts';

export interface ProbeOptions {
  /** An existing folder on a disk, outside the temporary folders, in which the probe makes its own. */
  readonly folder: string;
  /** The user's home; the probe tries to write there. */
  readonly home: string;
  /** See `SandboxPolicy`. */
  readonly isProtected: (belowRoot: string) => boolean;
}

/** Time limit of a probe command in milliseconds; node starts slowly on a loaded machine. */
const limitMs = 20_000;

/**
 * Tests a backend. A command inside attempts forbidden operations on files, sockets and a process that weft made for
 * it. Only what weft itself observes afterwards counts, never what the command reports. weft also connects to each
 * listener itself, because a listener that notices nothing proves nothing.
 */
export async function probeProvider(
  provider: SandboxProvider,
  options: ProbeOptions,
  signal: AbortSignal,
): Promise<Proof> {
  const fails = (reason: string): Proof => ({
    provider: provider.name,
    works: false,
    proven: nothingProven,
    hosts: 'closed',
    reason,
  });
  const found = await provider.find();
  if (found.tag === 'failed') return fails(found.error);
  let place: ProbeSetup;
  try {
    place = await setUpProbe(options);
  } catch (cause) {
    return fails(`the probe could not be set up: ${causeText(cause)}`);
  }
  try {
    const variables = {HOME: place.home, PROBE: JSON.stringify(place.targets)};
    const {policy, script} = place;
    const outcome = await runScript(provider, {script, policy, variables}, signal);
    if (outcome.tag === 'failed') return fails(outcome.error);
    const ran = outcome.value;
    if (
      !existsSync(join(place.work, 'made')) ||
      ran.end.kind !== 'exited' ||
      ran.end.code !== 7 ||
      !ran.output.includes(ready)
    ) {
      return fails(explainSandboxFailure(ran));
    }
    const failures = await place.observe();
    const held = await place.observeHeld(async (heldScript, observe) => {
      const enclose: SandboxProvider['enclose'] = async request => {
        const start = await provider.enclose(request);
        if (start.tag === 'failed' || start.value.view === 'direct') return start;
        const {view} = start.value;
        const close = (): void => {
          observe(view.layers[0]?.upper ?? '');
          view.close();
        };
        return ok({...start.value, view: {...view, close}});
      };
      return runScript({enclose}, {script: heldScript, policy: {...policy, workspace: 'held'}, variables}, signal);
    });
    return verdict(provider.name, [...failures, ...held]);
  } catch (cause) {
    return fails(`the probe failed: ${causeText(cause)}`);
  } finally {
    await provider.close();
    await place.remove();
  }
}

/** Runs a script inside, in the policy's workspace. */
const runScript = async (
  provider: Pick<SandboxProvider, 'enclose'>,
  {
    script,
    policy,
    variables,
  }: {readonly script: string; readonly policy: SandboxPolicy; readonly variables: Readonly<Record<string, string>>},
  signal: AbortSignal,
): Promise<Outcome<EnclosedEnd, string>> =>
  runEnclosed(
    {enclose: async ({confinement: _chosen, hosts: _none, ...request}) => provider.enclose({...request, policy})},
    {
      argv: ['/bin/sh', '-c', script],
      directory: policy.roots[0],
      environment: {PATH: process.env['PATH'] ?? '/usr/bin:/bin', ...variables},
      confinement: 'sandbox',
      hosts: 'none',
      timeoutMs: limitMs,
      changes: 'none',
      input: '',
    },
    signal,
  );

/** Returns the policy of a probe's commands. */
const policyFor = (
  work: string,
  differences: Pick<SandboxPolicy, 'places' | 'network' | 'hidden' | 'isProtected' | 'session'>,
): SandboxPolicy => ({
  roots: [work],
  // This also tests the protection of a workspace that is the home folder.
  home: work,
  workspace: 'writable',
  readChanges: skipChanges,
  repository: 'guarded',
  readable: [],
  nested: [],
  ...differences,
});

type Failure = {readonly about: keyof Proven; readonly what: string};

function verdict(provider: SandboxProvider['name'], failures: readonly Failure[]): Proof {
  const holds = (about: keyof Proven): boolean => failures.every(failure => failure.about !== about);
  const proven: Proven = {
    files: holds('files'),
    network: holds('network'),
    processes: holds('processes'),
    overlay: holds('overlay'),
  };
  const reason = failures.map(({what}) => what).join('; ');
  return {provider, works: proven.files && proven.network, proven, hosts: 'closed', reason};
}

interface ProbeSetup {
  readonly policy: SandboxPolicy;
  readonly home: string;
  readonly work: string;
  readonly targets: Targets;
  readonly script: string;
  /** Returns the forbidden operations that succeeded. */
  observe(): Promise<readonly Failure[]>;
  /** Does the same for a held command. `run` calls back with the upper folder of the workspace before it is removed. */
  observeHeld(
    run: (script: string, observe: (upper: string) => void) => Promise<Outcome<EnclosedEnd, string>>,
  ): Promise<readonly Failure[]>;
  remove(): Promise<void>;
}

/** The addresses that node tries to reach from inside. */
interface Targets {
  readonly tcp: readonly {readonly host: string; readonly port: number}[];
  readonly udp: number;
  readonly sockets: readonly string[];
}

const ready = 'weft-sandbox-probe-ready';

async function setUpProbe({folder, home, isProtected}: ProbeOptions): Promise<ProbeSetup> {
  const top = realpathSync(mkdtempSync(join(folder, 'sandbox-probe-')));
  const work = join(top, 'work');
  const outside = join(top, 'home');
  for (const made of [join(work, '.git', 'hooks'), join(outside, '.ssh'), join(outside, 'sockets')]) {
    mkdirSync(made, {recursive: true});
  }
  writeFileSync(join(work, '.git', 'config'), '');
  const secret = randomBytes(16).toString('hex');
  writeFileSync(join(outside, '.ssh', 'canary'), secret);
  const canary = join(home, `.weft-canary-${randomBytes(6).toString('hex')}`);
  const session = openSession();
  const victim = spawn(findProgram('sleep') ?? 'sleep', ['60'], {stdio: 'ignore'});
  const killed = once(victim, 'close').catch(() => undefined);
  // Without a victim the command would end process 0, which means its own group.
  if (victim.pid === undefined) throw new Error('the program sleep is not installed');
  const listeners = await Promise.all([
    listen({host: '127.0.0.1'}),
    ...ownAddresses().map(host => listen({host})),
    listen({path: join(outside, 'sockets', 'socket')}),
    ...(process.platform === 'linux' ? [listen({path: `\0weft-${randomBytes(8).toString('hex')}`})] : []),
  ]);
  const udp = await listenUdp();
  const targets: Targets = {
    tcp: listeners.flatMap(({at}) => ('port' in at ? [at] : [])),
    udp: udp.port,
    sockets: listeners.flatMap(({at}) => ('path' in at ? [at.path] : [])),
  };
  return {
    home: outside,
    work,
    targets,
    policy: policyFor(work, {
      places: [top],
      network: {kind: 'closed'},
      hidden: [join(outside, '.ssh')],
      isProtected,
      session,
    }),
    script: probeScript({canary, outside, victim: victim.pid}),
    async observe() {
      const seen: Failure[] = [];
      const record = (about: keyof Proven, fails: boolean, what: string): void => {
        if (fails) seen.push({about, what});
      };
      const read = existsSync(join(work, 'read')) ? readFileSync(join(work, 'read'), 'utf8') : '';
      record(
        'files',
        existsSync(canary) || existsSync(join(outside, 'canary')),
        'files outside the workspace can be written',
      );
      record('files', read.includes(secret), 'secrets can be read');
      record(
        'files',
        existsSync(join(work, '.git', 'hooks', 'canary')) || readFileSync(join(work, '.git', 'config'), 'utf8') !== '',
        'protected files of the workspace can be written',
      );
      record('files', existsSync(join(work, '.moved')), 'protected files of the workspace can be moved');
      for (const listener of listeners) {
        const connections = await listener.connections();
        if (connections === 'deaf') throw new Error(`a listener at ${listener.name} receives nothing`);
        record('network', connections > 0, `${listener.name} accepts connections`);
      }
      const packets = await udp.packets();
      if (packets === 'deaf') throw new Error('a listener for UDP receives nothing');
      record('network', packets > 0, 'UDP packets get out');
      record('processes', victim.exitCode !== null || victim.signalCode !== null, 'processes outside can be ended');
      record('processes', existsSync(join(work, 'saw')), 'processes outside can be seen');
      record('processes', existsSync(join(work, 'nested')), 'namespaces can be made inside');
      return seen;
    },
    async observeHeld(run) {
      const fifo = join(outside, 'fifo');
      await promisify(execFile)(findProgram('mkfifo') ?? 'mkfifo', [fifo]);
      const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
      // A socket bound by a relative name has no absolute path in the kernel's list of sockets.
      const socket = await listen({path: relative(process.cwd(), join(outside, 'late'))});
      const left = `weft-left-${randomBytes(8).toString('hex')}`;
      writeFileSync(join(work, 'old'), '');
      const names = (): string => readdirSync(work, {recursive: true, encoding: 'utf8'}).toSorted().join();
      const before = names();
      let made = '';
      try {
        const ran = await run(heldScript({outside, left}), upper => {
          made =
            existsSync(join(upper, 'new')) &&
            existsSync(join(upper, '.envrc')) &&
            isWhiteout(toBytes(join(upper, 'old')))
              ? 'all'
              : 'not all';
        });
        const ended =
          ran.tag === 'failed'
            ? ran.error
            : ran.value.end.kind === 'exited' && made !== ''
              ? ''
              : explainSandboxFailure(ran.value);
        if (ended !== '') return [{about: 'overlay', what: viewProblem(ended)}];
        const connections = await socket.connections();
        const seen: readonly (readonly [boolean, string])[] = [
          [names() !== before, 'a command changes the workspace before weft has decided about it'],
          [made !== 'all', "a command's changes are not held back"],
          [
            (await processTable()).some(({pid}) => commandLineOf(pid).includes(left)),
            'processes outlive their command',
          ],
          [readSync(reader, Buffer.alloc(1)) > 0, 'FIFOs outside can be written'],
          [connections === 'deaf' || connections > 0, 'sockets outside accept connections'],
        ];
        return seen.flatMap(([fails, what]) => (fails ? [{about: 'overlay', what} as const] : []));
      } finally {
        closeSync(reader);
        socket.close();
      }
    },
    async remove() {
      victim.kill('SIGKILL');
      await killed;
      udp.close();
      for (const listener of listeners) listener.close();
      rmSync(canary, {force: true});
      await session.close();
      // Only a system administrator could remove overlayfs's own folders with their permissions.
      await forceRemove(top);
    },
  };
}

/** Returns the script that runs inside, in the probe's workspace. */
const probeScript = ({
  canary,
  outside,
  victim,
}: {
  readonly canary: string;
  readonly outside: string;
  readonly victim: number;
}): string => `
{
echo x >'${canary}'
echo x >'${outside}/canary'
cat '${outside}/.ssh/canary' >read
echo x >.git/hooks/canary
echo '[core]' >>.git/config
mv .git .moved
kill -9 ${String(victim)}
[ ! -e /proc/${String(victim)} ] || [ "$(cat /proc/${String(victim)}/comm)" != sleep ] || echo x >saw
! unshare -Ur true || echo x >nested
! unshare -m true || echo x >nested
} 2>/dev/null
env -u NODE_OPTIONS '${process.execPath}' -e '${connectScript}' 2>/dev/null
echo x >made
echo ${ready}
exit 7`;

/** Returns the script that runs inside, in a view of the probe's workspace. */
const heldScript = ({outside, left}: {readonly outside: string; readonly left: string}): string => `
echo x >new
echo x >.envrc
rm old
(trap '' HUP TERM; setsid sh -c 'sleep 61; :' ${left}) >/dev/null 2>&1 </dev/null &
{
timeout 0.2 sh -c 'echo x >"$0"' '${outside}/fifo'
env -u NODE_OPTIONS PROBE='{"tcp":[],"udp":9,"sockets":["${outside}/late"]}' '${process.execPath}' -e '${connectScript}'
} 2>/dev/null
exit 0`;

/** Tries all connections at once and always ends soon. Contains no single quote. */
const connectScript = `
const {connect} = require("node:net"), dgram = require("node:dgram");
const {tcp, udp, sockets} = JSON.parse(process.env.PROBE);
for (const at of [...tcp, ...sockets.map(path => ({path}))]) { const socket = connect(at); socket.on("error", () => {}); socket.on("connect", () => socket.destroy()); }
const packet = dgram.createSocket("udp4"); packet.on("error", () => {}); packet.send("x", udp, "127.0.0.1", () => {});
setTimeout(() => process.exit(), 250);`;

interface Listener {
  readonly at: {readonly host: string; readonly port: number} | {readonly path: string};
  readonly name: string;
  /** Returns the number of connections before this call's own; `deaf` if the listener did not notice its own. */
  connections(): Promise<number | 'deaf'>;
  close(): void;
}

async function listen(at: {readonly host: string} | {readonly path: string}): Promise<Listener> {
  const server: Server = createServer(socket => {
    seen += 1;
    socket.on('error', () => {});
    socket.destroy();
    heard.resolve();
  });
  let seen = 0;
  let heard = Promise.withResolvers<void>();
  server.listen('host' in at ? {...at, port: 0} : at);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const bound = 'host' in at ? {host: at.host, port} : at;
  return {
    at: bound,
    name: 'port' in bound ? bound.host : bound.path.startsWith('\0') ? 'an abstract socket' : 'a unix socket',
    async connections() {
      // Connections arrive in order: once this one has arrived, the earlier ones have too.
      const before = (): number => seen - 1;
      heard = Promise.withResolvers<void>();
      const own = connect(bound);
      own.on('error', () => {});
      const closed = once(own, 'close');
      await Promise.race([closed, new Promise(resolve => setTimeout(resolve, 5000).unref())]);
      await Promise.race([heard.promise, new Promise(resolve => setTimeout(resolve, 5000).unref())]);
      return seen === 0 ? 'deaf' : before();
    },
    close: () => void server.close(),
  };
}

async function listenUdp(): Promise<{
  readonly port: number;
  packets(): Promise<number | 'deaf'>;
  close(): void;
}> {
  const socket: UdpSocket = createSocket('udp4');
  const texts: string[] = [];
  socket.on('message', message => texts.push(message.toString()));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const {port} = socket.address();
  return {
    port,
    async packets() {
      const own = createSocket('udp4');
      own.send('own', port, '127.0.0.1');
      for (let turn = 0; turn < 500 && !texts.includes('own'); turn += 1) {
        await new Promise(resolve => setTimeout(resolve, 10));
      }
      own.close();
      return texts.includes('own') ? texts.filter(text => text !== 'own').length : 'deaf';
    },
    close: () => void socket.close(),
  };
}

/** Returns one address of this machine besides loopback. */
const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flat()
    .flatMap(each => (each !== undefined && !each.internal && each.family === 'IPv4' ? [each.address] : []))
    .slice(0, 1);

const allowed = 'allowed.weft-probe.test';
const denied = 'denied.weft-probe.test';

/** A stand-in for the address of the allowed host. The connection goes to a listener of the probe. */
const publicAddress = '8.8.8.8';

/**
 * Tests the filtered network of a backend. A command inside tries to reach an allowed host, a denied one and this
 * machine through the proxy, and this machine directly. Only arriving connections count. The allowed host must be
 * reached, to show that the others could have been.
 */
export async function probeHosts(
  provider: SandboxProvider,
  {folder}: {readonly folder: string},
  signal: AbortSignal,
): Promise<HostsProof> {
  const listeners: Listener[] = [];
  const dialed: string[] = [];
  const undo: (() => unknown)[] = [];
  try {
    const top = realpathSync(mkdtempSync(join(folder, 'sandbox-probe-')));
    const session = openSession();
    undo.push(() => {
      rmSync(top, {recursive: true, force: true});
      return session.close();
    });
    const work = join(top, 'work');
    mkdirSync(work);
    const target = await listen({host: '127.0.0.1'});
    listeners.push(target, ...(await Promise.all(['127.0.0.1', ...ownAddresses()].map(host => listen({host})))));
    const direct = listeners.slice(1).flatMap(({at}) => ('port' in at ? [at] : []));
    const udp = await listenUdp();
    undo.push(() => udp.close());
    const network: HostNetwork = {
      addressesOf: async host => (host === allowed || host === denied ? [publicAddress] : ['127.0.0.1']),
      async connect({address}, connecting) {
        dialed.push(address);
        const {at} = target;
        const {socket} = await machineNetwork.connect(
          {address: '127.0.0.1', port: 'port' in at ? at.port : 0},
          connecting,
        );
        return {socket, address};
      },
    };
    const hosts = await openNetwork(
      {
        decision: host => (host === allowed ? {kind: 'allowed', rule: ''} : {kind: 'denied', rule: ''}),
        ruleFor: host => host,
        loopback: 'closed',
        network,
      },
      {folder: session.folder, ask: async () => 'nobody'},
    );
    const policy = policyFor(work, {places: [], network: hosts, hidden: [], isProtected: () => false, session});
    const proxyTargets = [
      `${allowed}:443`,
      `${denied}:443`,
      '8.8.4.4:443',
      ...direct.map(({host, port}) => `${host}:${String(port)}`),
    ];
    try {
      const variables = {
        HOME: work,
        PROBE: JSON.stringify({tcp: direct, udp: udp.port, sockets: []}),
        THROUGH: JSON.stringify(proxyTargets),
      };
      const ran = await runScript(provider, {script: hostsScript, policy, variables}, signal);
      if (ran.tag === 'failed') return unproven(ran.error);
      if (!existsSync(join(work, 'made'))) return unproven(explainSandboxFailure(ran.value));
    } finally {
      hosts.close();
    }
    for (const listener of listeners.slice(1)) {
      const connections = await listener.connections();
      if (connections === 'deaf') return unproven(`a listener at ${listener.name} receives nothing`);
      if (connections > 0) return unproven(`${listener.name} accepts connections that bypass the proxy`);
    }
    const packets = await udp.packets();
    if (packets !== 0)
      return unproven(packets === 'deaf' ? 'a listener for UDP receives nothing' : 'UDP packets get out');
    if (dialed.length === 0) return unproven('a host that a rule allows cannot be reached');
    return dialed.length === 1
      ? {proven: true, reason: ''}
      : unproven('the proxy connects to hosts that no rule allows');
  } catch (cause) {
    return unproven(`the probe failed: ${causeText(cause)}`);
  } finally {
    for (const listener of listeners) listener.close();
    await provider.close();
    await Promise.all(undo.map(step => step()));
  }
}

const unproven = (reason: string): HostsProof => ({proven: false, reason});

/** Requests a tunnel to each host from the proxy, and ends when it has all answers. Contains no single quote. */
const throughScript = `
const net = require("node:net"), at = new URL(process.env.HTTPS_PROXY), all = JSON.parse(process.env.THROUGH);
let left = all.length; const done = () => { left -= 1; if (left === 0) process.exit(); };
for (const place of all) {
  const socket = net.connect(at.port, at.hostname, () => socket.write("CONNECT " + place + " HTTP/1.1\\r\\nHost: " + all[0] + "\\r\\n\\r\\n"));
  socket.on("error", done); socket.once("data", () => { socket.destroy(); done(); });
}`;

const hostsScript = `
node='${process.execPath}'
env -u NODE_OPTIONS "$node" -e '${throughScript}' 2>/dev/null
env -u NODE_OPTIONS "$node" -e '${connectScript}' 2>/dev/null
echo x >made`;
