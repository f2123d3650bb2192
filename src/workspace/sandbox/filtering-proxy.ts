import {once} from 'node:events';
import {createServer, type IncomingHttpHeaders, type IncomingMessage, request as startRequest} from 'node:http';
import type {ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {type HostPlace, readHostPlace} from '../../domain/web-url.ts';
import {connectHost, type HostNetwork, scopeOfAddress} from '../web/connect-host.ts';
import type {HostGate, Refusal} from './host-gate.ts';

export interface ProxyOptions {
  /** The unix socket that the proxy creates. */
  readonly path: string;
  readonly gate: HostGate;
  readonly network: HostNetwork;
  /** Milliseconds within which the head of a request must arrive. */
  readonly headMs: number;
}

/** The maximum number of simultaneous connections of one command. */
const maxConnections = 256;

/** The maximum number of bytes in the head of a request. */
const maxHeadBytes = 64 * 1024;

/**
 * An HTTP proxy for one command in the sandbox, for plain requests and tunnels (CONNECT). It judges the host that it
 * connects to. For a plain request that is the URL's host, which also replaces the `Host` field. For a tunnel it is the
 * CONNECT host. It does not inspect the content of tunnels. Closing it ends all connections.
 */
export async function openProxy(
  {path, gate, network, headMs}: ProxyOptions,
  signal: AbortSignal,
): Promise<{close(): void}> {
  const server = createServer({
    maxHeaderSize: maxHeadBytes,
    headersTimeout: headMs,
    // A long upload is not a slow client.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(headMs, 5000),
    requireHostHeader: false,
    insecureHTTPParser: false,
  });
  server.maxConnections = maxConnections;
  const open = new Set<Duplex>();
  const track = <S extends Duplex>(stream: S): S => {
    open.add(stream);
    stream.on('error', () => stream.destroy());
    stream.once('close', () => open.delete(stream));
    return stream;
  };

  /** Returns a connection to an allowed host. Otherwise returns the reason and its status. */
  async function connectTo(place: HostPlace): Promise<Socket | {readonly status: 403 | 502; readonly words: string}> {
    const judged = await gate.judge(place);
    if (judged !== 'allowed') return {status: 403, words: judged.refused};
    try {
      const connected = await connectHost({...place, reach: 'as-named'}, network, signal);
      if (connected.tag === 'failed')
        return {status: 403, words: refuseAddress(place, connected.error.outOfScope).refused};
      return track(connected.value);
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
      return {status: 502, words: `weft's proxy cannot connect to ${place.host}:${String(place.port)}${code}`};
    }
  }

  const refuseAddress = (place: HostPlace, address: string): Refusal =>
    gate.refuse(
      place,
      scopeOfAddress(address) === 'loopback'
        ? `its name resolves to this machine (${address})`
        : `its name resolves to ${address}, an address of a private network`,
    );

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = URL.parse(request.url ?? '');
    if (target === null || target.protocol !== 'http:' || target.username !== '' || target.password !== '') {
      return answer(response, 400, "weft's proxy accepts requests for http://host/… and CONNECT host:port");
    }
    const place = readHostPlace(`${target.hostname}:${target.port === '' ? '80' : target.port}`);
    if (place.tag === 'failed') return answer(response, 400, place.error);
    const connected = await connectTo(place.value);
    if ('status' in connected) return answer(response, connected.status, connected.words);
    if (response.destroyed) return void connected.destroy();
    const outgoing = startRequest({
      method: request.method,
      path: `${target.pathname}${target.search}`,
      headers: {
        ...forwardedHeaders(request.headersDistinct, request.headers),
        // Without this the body of a GET would be sent unframed, and read as another request.
        ...(request.headers['transfer-encoding'] === undefined ? {} : {'transfer-encoding': 'chunked'}),
        host: target.host,
        connection: 'close',
      },
      maxHeaderSize: maxHeadBytes,
      createConnection: () => connected,
    });
    const answered = Promise.withResolvers<IncomingMessage>();
    outgoing.once('response', answered.resolve);
    outgoing.on('error', answered.reject);
    // The answer shows an upload that failed or that the server cut short.
    pipeline(request, outgoing).catch(() => {});
    try {
      const incoming = await answered.promise;
      response.writeHead(incoming.statusCode ?? 502, forwardedHeaders(incoming.headersDistinct, incoming.headers));
      await pipeline(incoming, response);
    } catch {
      if (response.headersSent) response.destroy();
      else answer(response, 502, `${place.value.host} closed the connection`);
    } finally {
      connected.destroy();
    }
  }

  async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    track(client);
    const place = readHostPlace(request.url ?? '');
    const connected =
      place.tag === 'ok'
        ? await connectTo(place.value)
        : ({status: 400, words: `CONNECT needs host:port: ${place.error}`} as const);
    if ('status' in connected) {
      const {status, words} = connected;
      client.end(
        `HTTP/1.1 ${String(status)} ${statusTexts[status]}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
          `content-length: ${String(Buffer.byteLength(words) + 1)}\r\nconnection: close\r\n\r\n${words}\n`,
      );
      return;
    }
    if (client.destroyed) return void connected.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) connected.write(head);
    client.once('close', () => connected.destroy());
    connected.once('close', () => client.destroy());
    client.pipe(connected);
    connected.pipe(client);
  }

  server.on('connection', socket => void track(socket));
  server.on('request', (request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  server.on('connect', (request, client, head) => {
    tunnel(request, client, head).catch(() => client.destroy());
  });
  server.listen(path);
  await once(server, 'listening');
  // If a connection can't be accepted, as with too many open files, only the program is affected.
  server.on('error', () => {});
  return {
    close() {
      server.close();
      for (const stream of open) stream.destroy();
    },
  };
}

const statusTexts = {400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway'} as const;

function answer(response: ServerResponse, status: keyof typeof statusTexts, words: string): void {
  // Close the connection: unread bytes of the request would be read as the next one.
  response.writeHead(status, {'content-type': 'text/plain; charset=utf-8', connection: 'close'}).end(`${words}\n`);
}

/** Returns the headers for the other side: all except those for one connection, which `Connection` may extend. */
function forwardedHeaders(
  all: NodeJS.Dict<string[]>,
  {connection = ''}: Pick<IncomingHttpHeaders, 'connection'>,
): Record<string, string | string[]> {
  const named = connection.split(',').map(name => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, values = []]): readonly [string, string | string[]][] => {
      const [first] = values;
      if (first === undefined || hopByHopHeaders.has(name) || named.includes(name)) return [];
      return [[name, values.length === 1 ? first : values]];
    }),
  );
}

const hopByHopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
]);
