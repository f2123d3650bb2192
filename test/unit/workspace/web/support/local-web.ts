import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import {createServer as createSecureServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {certificate, certificateKey} from '../../../../support/certificate.ts';
import {machineNetwork} from '../../../../../src/workspace/web/connect-host.ts';
import type {WebNetwork} from '../../../../../src/workspace/web/exchange.ts';

/** A server on loopback, with the requests that reached it. */
export interface LocalServer extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly IncomingMessage[];
  /** Connections, also those on which nothing was sent. */
  readonly connections: () => number;
}

type Answers = (request: IncomingMessage, response: ServerResponse) => void;

export const localServer = (answer: Answers, host = '127.0.0.1'): Promise<LocalServer> =>
  listening(listener => createServer(listener), answer, host);

/** The same over https, under the certificate of `certificate.ts`. */
export const secureServer = (answer: Answers): Promise<LocalServer> =>
  listening(listener => createSecureServer({key: certificateKey, cert: certificate}, listener), answer, '127.0.0.1');

async function listening(make: (listener: Answers) => Server, answer: Answers, host: string): Promise<LocalServer> {
  const requests: IncomingMessage[] = [];
  let connections = 0;
  const server = make((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.on('connection', () => connections++);
  const {promise, resolve, reject} = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(0, host, resolve);
  await promise;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const {port} = server.address() as AddressInfo;
  return {
    port,
    requests,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}

/** Names and their addresses; each look-up takes the next list of a name, and the last one for ever. */
export type Names = Readonly<Record<string, readonly (readonly string[])[]>>;

/**
 * The network of this machine with names from memory. What is connected to a public address reaches `port` on loopback instead, as if
 * that were the address: tests have no other network.
 */
export function namedNetwork(names: Names, port: number): WebNetwork & {readonly dialled: readonly string[]} {
  const lookups = new Map<string, number>();
  const dialled: string[] = [];
  return {
    dialled,
    routeOf: () => ({kind: 'direct'}),
    async addressesOf(host) {
      const lists = names[host];
      if (lists === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {code: 'ENOTFOUND'});
      const at = lookups.get(host) ?? 0;
      lookups.set(host, at + 1);
      return lists[Math.min(at, lists.length - 1)] ?? [];
    },
    async connect(place, signal) {
      dialled.push(place.address);
      if (!publicAddresses.has(place.address)) return machineNetwork.connect(place, signal);
      const {socket} = await machineNetwork.connect({address: '127.0.0.1', port}, signal);
      return {socket, address: place.address};
    },
  };
}

/** Addresses of the internet that stand for the local server. */
const publicAddresses: ReadonlySet<string> = new Set(['93.184.215.14', '2606:2800:21f::1']);
export const publicAddress = '93.184.215.14';
