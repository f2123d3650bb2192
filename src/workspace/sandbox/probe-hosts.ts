import {existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {HostsProof} from '../../domain/sandbox.ts';
import {causeText} from '../../domain/fault.ts';
import {machineNetwork, type HostNetwork} from '../web/connect-host.ts';
import {openNetwork} from './open-network.ts';
import {connectScript, type Listener, listen, listenUdp, ownAddresses} from './probe.ts';
import {readNothing, runEnclosed} from './run-enclosed.ts';
import type {SandboxPolicy, SandboxProvider} from './sandbox.ts';
import {openSession} from './session.ts';
import {lackOfSandbox} from './why-it-fails.ts';

/** Milliseconds that the command of the probe may take. */
const limitMs = 20_000;

const allowed = 'allowed.weft-probe.test';
const denied = 'denied.weft-probe.test';

/** Stands for the address of the allowed host; the connection goes to a listener of the probe. */
const publicAddress = '8.8.8.8';

/**
 * Tries the network of a backend where some host is allowed: a command inside reaches for an allowed host, for a denied one and for this
 * machine through the proxy, and for this machine past it. What counts is what arrives here; that the allowed host is reached shows that
 * the others could have been.
 */
export async function probeHosts(
  provider: SandboxProvider,
  {folder}: {readonly folder: string},
  signal: AbortSignal,
): Promise<HostsProof> {
  const listeners: Listener[] = [];
  const dialled: string[] = [];
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
    const behind = await listen({host: '127.0.0.1'});
    listeners.push(behind, ...(await Promise.all(['127.0.0.1', ...ownAddresses()].map(host => listen({host})))));
    const direct = listeners.slice(1).flatMap(({at}) => ('port' in at ? [at] : []));
    const udp = await listenUdp();
    undo.push(() => udp.close());
    const network: HostNetwork = {
      addressesOf: async host => (host === allowed || host === denied ? [publicAddress] : ['127.0.0.1']),
      async connect({address}, connecting) {
        dialled.push(address);
        const {at} = behind;
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
    const policy: SandboxPolicy = {
      roots: [work],
      home: work,
      workspace: 'writable',
      places: [],
      readChanges: readNothing,
      repository: 'guarded',
      network: hosts,
      hidden: [],
      readable: [],
      isProtected: () => false,
      nested: [],
      session,
    };
    const through = [
      `${allowed}:443`,
      `${denied}:443`,
      '8.8.4.4:443',
      ...direct.map(({host, port}) => `${host}:${String(port)}`),
    ];
    try {
      const ran = await runEnclosed(
        {enclose: async ({confinement: _chosen, hosts: _none, ...request}) => provider.enclose({...request, policy})},
        {
          argv: ['/bin/sh', '-c', script],
          directory: work,
          environment: {
            PATH: process.env['PATH'] ?? '/usr/bin:/bin',
            HOME: work,
            PROBE: JSON.stringify({tcp: direct, udp: udp.port, sockets: []}),
            THROUGH: JSON.stringify(through),
          },
          confinement: 'sandbox',
          hosts: 'none',
          timeoutMs: limitMs,
          changes: 'none',
          input: '',
        },
        signal,
      );
      if (ran.tag === 'failed') return fails(ran.error);
      if (!existsSync(join(work, 'made'))) return fails(lackOfSandbox(ran.value));
    } finally {
      hosts.close();
    }
    for (const listener of listeners.slice(1)) {
      // oxlint-disable-next-line no-await-in-loop -- few listeners
      const connections = await listener.connections();
      if (connections === 'deaf') return fails(`a listener at ${listener.name} hears nothing`);
      if (connections > 0) return fails(`${listener.name} can be connected to past the proxy`);
    }
    const packets = await udp.packets();
    if (packets !== 0) return fails(packets === 'deaf' ? 'a listener for UDP hears nothing' : 'UDP packets get out');
    if (dialled.length === 0) return fails('a host that a rule allows cannot be reached');
    return dialled.length === 1 ? {proven: true, reason: ''} : fails('the proxy connects to hosts that no rule allows');
  } catch (cause) {
    return fails(`the probe broke off: ${causeText(cause)}`);
  } finally {
    for (const listener of listeners) listener.close();
    await provider.close();
    await Promise.all(undo.map(step => step()));
  }
}

const fails = (reason: string): HostsProof => ({proven: false, reason});

/** Asks the proxy for a tunnel to each place, and ends when it has answered each. Holds no single quote. */
const throughScript = `
const net = require("node:net"), at = new URL(process.env.HTTPS_PROXY), all = JSON.parse(process.env.THROUGH);
let left = all.length; const done = () => { left -= 1; if (left === 0) process.exit(); };
for (const place of all) {
  const socket = net.connect(at.port, at.hostname, () => socket.write("CONNECT " + place + " HTTP/1.1\\r\\nHost: " + all[0] + "\\r\\n\\r\\n"));
  socket.on("error", done); socket.once("data", () => { socket.destroy(); done(); });
}`;

const script = `
node='${process.execPath}'
env -u NODE_OPTIONS "$node" -e '${throughScript}' 2>/dev/null
env -u NODE_OPTIONS "$node" -e '${connectScript}' 2>/dev/null
echo x >made`;
