import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {randomUUID} from 'node:crypto';
import type {AskHost} from '../../actions/ports.ts';
import {listeningSockets} from '../exec/process-table.ts';
import type {HostNetwork} from '../web/connect-host.ts';
import {openProxy} from './filtering-proxy.ts';
import {forwarderPort} from './forwarder.ts';
import {type HostGateOptions, makeHostGate} from './host-gate.ts';

/** The network of one command: a proxy that a socket leads to. */
export interface FilteredNetwork {
  readonly kind: 'filtered';
  readonly socket: string;
  /** Ports of this machine's loopback that also appear on the command's. */
  readonly loopbackPorts: readonly number[];
  /** Ends all connections. Call this once, after all processes of the command have ended. Returns a sentence about each refused host. */
  close(): readonly string[];
}

export interface NetworkOptions extends Omit<HostGateOptions, 'ask'> {
  readonly network: HostNetwork;
}

/** Milliseconds within which a program must send the head of a request. */
const headMs = 20_000;

/** Opens a proxy for one command, with its socket in this private folder. */
export async function openNetwork(
  {network, ...options}: NetworkOptions,
  {folder, ask}: {readonly folder: string; readonly ask: AskHost},
): Promise<FilteredNetwork> {
  const over = new AbortController();
  const socket = join(folder, `${randomUUID().slice(0, 8)}.sock`);
  const gate = makeHostGate({...options, ask}, over.signal);
  const proxy = await openProxy({path: socket, gate, network, headMs}, over.signal);
  return {
    kind: 'filtered',
    socket,
    loopbackPorts: options.loopback === 'open' ? listenedPorts() : [],
    close() {
      over.abort();
      proxy.close();
      rmSync(socket, {force: true});
      return gate.notes();
    },
  };
}

/** The maximum number of ports that a command gets. */
const maxPorts = 100;

/** Returns the ports that have a listener on this machine's loopback or on all addresses. */
function listenedPorts(): readonly number[] {
  const own = listeningSockets().flatMap(({address, port}) => (ownAddress.test(address) ? [port] : []));
  const ports = [...new Set(own)].filter(port => port !== forwarderPort);
  return ports.toSorted((one, other) => one - other).slice(0, maxPorts);
}

/** 127.0.0.0/8, all addresses, ::1 and ::ffff:127.0.0.0/104, in the notation of /proc. */
const ownAddress = /^(?:[\dA-F]{6}7F|0+|0{24}01000000|0{16}FFFF0000[\dA-F]{6}7F)$/u;
