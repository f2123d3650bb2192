import {lookup} from 'node:dns/promises';
import {connect as connectSocket, type Socket} from 'node:net';
import {type AddressScope, addressScope} from '../../base/ip-address.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort} from '../../base/race.ts';
import type {HostPlace} from '../../domain/web-url.ts';

/** DNS and connections. A name is looked up once for each connection, so that it can't resolve to two addresses. */
export interface HostNetwork {
  /** Returns all addresses of a name. Rejects if it has none. */
  readonly addressesOf: (host: string) => Promise<readonly string[]>;
  /** Opens a connection and returns its address. Rejects if it can't. Nothing has been sent yet. */
  readonly connect: (
    place: {readonly address: string; readonly port: number},
    signal: AbortSignal,
  ) => Promise<{readonly socket: Socket; readonly address: string}>;
}

/** `as-named`: only addresses in the scope that the host's name implies. `any`: the user has named this server. */
export type HostReach = 'as-named' | 'any';

/** Milliseconds for each address of a name before weft tries the next one. */
const attemptMs = 4000;
const maxAddresses = 4;

/**
 * Connects to an address of the host if its scope is allowed. Checks the connected address before sending the first
 * byte, because a name may resolve to another address than the one that was judged. If any of a name's addresses is
 * outside the scope, the result is a failure with that address. Rejects if no connection can be made.
 */
export async function connectHost(
  {host, port, scope, reach}: HostPlace & {readonly reach: HostReach},
  network: HostNetwork,
  signal: AbortSignal,
): Promise<Outcome<Socket, {readonly outOfScope: string}>> {
  const isAllowed = (address: string): boolean =>
    reach === 'any' || (scope !== 'private' && addressScope(address) === scope);
  const addresses = await addressesOf(host, network, signal);
  const outOfScope = addresses.find(address => !isAllowed(address));
  if (outOfScope !== undefined) return failed({outOfScope});
  let last: unknown = new Error('it has no address');
  const tried = addresses.slice(0, maxAddresses);
  for (const [at, address] of tried.entries()) {
    const attempt = at === tried.length - 1 ? signal : AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]);
    try {
      const connected = await network.connect({address, port}, attempt);
      if (isAllowed(connected.address)) return ok(connected.socket);
      connected.socket.destroy();
      return failed({outOfScope: connected.address});
    } catch (cause) {
      last = cause;
      if (signal.aborted) break;
    }
  }
  throw last;
}

async function addressesOf(host: string, network: HostNetwork, signal: AbortSignal): Promise<readonly string[]> {
  if (addressScope(host) !== undefined) return [host];
  const found = await raceAbort(network.addressesOf(host), signal);
  if (found === 'aborted') throw new Error('stopped');
  return found;
}

export const scopeOfAddress = (address: string): AddressScope => addressScope(address) ?? 'private';

export const machineNetwork: HostNetwork = {
  addressesOf: async host => (await lookup(host, {all: true})).map(({address}) => address),
  async connect({address, port}, signal) {
    const {promise, resolve, reject} = Promise.withResolvers<void>();
    const socket = connectSocket({host: address, port});
    const abort = (): void => void socket.destroy(new Error('stopped'));
    signal.addEventListener('abort', abort, {once: true});
    socket.once('connect', resolve);
    // Keep this listener: the socket's user handles errors in its own way.
    socket.on('error', reject);
    if (signal.aborted) abort();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
    return {socket, address: socket.remoteAddress ?? ''};
  },
};
