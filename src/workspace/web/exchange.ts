import type {IncomingHttpHeaders, IncomingMessage, RequestOptions} from 'node:http';
import {request as startRequest} from 'node:http';
import {request as startSecurely} from 'node:https';
import {isIP, type Socket} from 'node:net';
import {connect as connectTls} from 'node:tls';
import {promisify} from 'node:util';
import {brotliDecompress, gunzip, inflate} from 'node:zlib';
import {byteSize} from '../../base/byte-size.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText, codeOf, type Fault, hasCode, rejected} from '../../domain/fault.ts';
import type {WebUrl} from '../../domain/web-url.ts';
import {connectHost, type HostNetwork, type HostReach, scopeOfAddress} from './connect-host.ts';

export interface WebNetwork extends HostNetwork {
  /** Returns the route to a server: direct, or through the proxy that the user's environment names. Throws if the proxy can't be used. */
  readonly routeOf: (url: URL) => WebRoute;
}

export type WebRoute =
  | {readonly kind: 'direct'}
  | {
      readonly kind: 'proxied';
      readonly options: RequestOptions;
      readonly headers: Readonly<Record<string, string>>;
      /** Returns the error for an answer that comes from the proxy instead of the server; `undefined` for all others. */
      refusal(answer: IncomingMessage): Error | undefined;
      explainError(cause: Error): Error;
    };

export interface ExchangeRequest {
  readonly url: WebUrl;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly reach: HostReach;
  /** The maximum number of bytes of the answer, both compressed and decompressed. */
  readonly maxBytes: number;
}

export interface WebAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decompressed; empty for a redirect. */
  readonly body: Buffer;
  readonly by: WebRoute['kind'];
}

/**
 * Sends one request and reads its answer. Does not follow redirects. Checks the connected address before sending the first byte, even of
 * TLS, because a name may resolve to another address than the one that was judged. Through a proxy only the name can be checked.
 */
export async function exchange(
  request: ExchangeRequest,
  network: WebNetwork,
  signal: AbortSignal,
): Promise<Outcome<WebAnswer, Fault>> {
  const {url} = request;
  try {
    // Loopback is never reached through a proxy, for which it means another machine.
    const route: WebRoute = url.scope === 'loopback' ? {kind: 'direct'} : network.routeOf(new URL(url.href));
    if (route.kind === 'direct') {
      const opened = await open(request, network, signal);
      return opened.tag === 'ok' ? ok(await send(request, {route, socket: opened.value}, signal)) : opened;
    }
    if (request.reach === 'as-named' && url.scope === 'private') return refuse(outOfScopeText(url, url.host));
    if (request.reach === 'as-named' && isInternalName(url.host)) {
      return refuse(`${url.host} is a name of a private network, which weft does not read through a proxy.`);
    }
    return ok(await send(request, {route}, signal));
  } catch (cause) {
    if (cause instanceof WebFault) return failed(cause.fault);
    return refuse(`${url.host}: ${reasonOf(cause, signal)}`);
  }
}

const refuse = (message: string): Outcome<never, Fault> => failed(rejected(message));

/** Thrown to end a stream at once. */
class WebFault extends Error {
  readonly fault: Fault;

  constructor(message: string) {
    super(message);
    this.fault = rejected(message);
  }
}

function reasonOf(cause: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'it did not answer in time.';
  const code = codeOf(cause);
  const known = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  if (known !== undefined) return known;
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/u.test(code);
  return isCertificate
    ? `its certificate is not valid (${code}); NODE_EXTRA_CA_CERTS names a private authority.`
    : causeText(cause);
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no host with this name.',
  EAI_AGAIN: 'the name could not be looked up; is there a network?',
  ECONNREFUSED: 'it refused the connection.',
  ECONNRESET: 'it closed the connection.',
  EHOSTUNREACH: 'it cannot be reached.',
  ENETUNREACH: 'there is no network.',
  ETIMEDOUT: 'it did not answer.',
  Z_BUF_ERROR: 'the compressed answer ended early.',
  Z_DATA_ERROR: 'the compressed answer cannot be read.',
};

/** True if no public server can have this name: no dot, or a domain reserved for private networks. */
const isInternalName = (host: string): boolean =>
  isIP(host) === 0 &&
  (!host.includes('.') || /\.(?:internal|local|localdomain|lan|home|corp|intranet|private|home\.arpa)$/u.test(host));

/** Connects to the URL's host, with TLS for https. */
async function open(
  {url, reach}: ExchangeRequest,
  network: WebNetwork,
  signal: AbortSignal,
): Promise<Outcome<Socket, Fault>> {
  const {host, scope} = url;
  const port =
    url.port === 'standard' ? Number(new URL(url.href).port || (url.protocol === 'https:' ? 443 : 80)) : url.port;
  const connected = await connectHost({host, port, scope, reach}, network, signal);
  if (connected.tag === 'failed') return refuse(outOfScopeText(url, connected.error.outOfScope));
  return ok(url.protocol === 'https:' ? await startTls(connected.value, host, signal) : connected.value);
}

function outOfScopeText({host, scope}: WebUrl, address: string): string {
  if (scope === 'private') return `${host} is an address of a private network, which weft does not read.`;
  if (scope === 'loopback') return `${host} resolves to ${address}, which is not this machine.`;
  return scopeOfAddress(address) === 'loopback'
    ? `${host} resolves to this machine (${address}). To read from it, use http://localhost`
    : `${host} resolves to ${address}, an address of a private network, which weft does not read.`;
}

/** Starts TLS with the authorities that Node trusts, including the user's (NODE_EXTRA_CA_CERTS). */
async function startTls(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const {promise, resolve, reject} = Promise.withResolvers<Socket>();
  const tls = connectTls({
    socket,
    host,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 ? {servername: host} : {}),
  });
  const abort = (): void => void tls.destroy(new Error('stopped'));
  signal.addEventListener('abort', abort, {once: true});
  tls.once('secureConnect', () => resolve(tls));
  tls.once('error', reject);
  tls.once('close', () => reject(new Error('it closed the connection')));
  if (signal.aborted) abort();
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

type Transport =
  | {readonly route: WebRoute & {kind: 'direct'}; readonly socket: Socket}
  | {readonly route: WebRoute & {kind: 'proxied'}};

async function send(request: ExchangeRequest, way: Transport, signal: AbortSignal): Promise<WebAnswer> {
  const {url, method, body} = request;
  const target = new URL(url.href);
  const headers = {
    'accept-encoding': 'gzip, br',
    ...request.headers,
    ...(method === 'POST' ? {'content-length': String(Buffer.byteLength(body))} : {}),
  };
  const {promise, resolve, reject} = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions =
    'socket' in way
      ? {
          // The socket already has TLS if it is needed.
          host: url.host,
          path: `${target.pathname}${target.search}`,
          headers: {host: target.host, ...headers},
          createConnection: () => way.socket,
        }
      : {...way.route.options, headers: {...headers, ...way.route.headers}};
  const start = 'socket' in way || options.protocol !== 'https:' ? startRequest : startSecurely;
  const outgoing = start({...options, method, maxHeaderSize: 64 * 1024}, resolve);
  outgoing.on('error', cause => reject('socket' in way ? cause : way.route.explainError(cause)));
  // Don't use Node's `signal` option: it crashes the process if the abort comes just after the answer has ended.
  const abort = (): void => void outgoing.destroy(new Error('stopped'));
  signal.addEventListener('abort', abort, {once: true});
  if (signal.aborted) abort();
  else outgoing.end(method === 'POST' ? body : undefined);
  try {
    const answer = await promise;
    // The reader handles errors. Without a reader, they are ignored.
    answer.on('error', () => {});
    const refusal = 'socket' in way ? undefined : way.route.refusal(answer);
    if (refusal !== undefined) throw refusal;
    const {statusCode: status = 0} = answer;
    const read = status >= 300 && status < 400 ? Buffer.alloc(0) : await bodyOf(answer, request);
    return {status, headers: answer.headers, body: read, by: way.route.kind};
  } finally {
    signal.removeEventListener('abort', abort);
    outgoing.destroy();
  }
}

/** The maximum number of nested encodings. Servers have no reason for more than two. */
const maxEncodings = 2;

async function bodyOf(answer: IncomingMessage, {url, maxBytes}: ExchangeRequest): Promise<Buffer> {
  const tooLarge = (): WebFault => new WebFault(`${url.href} is larger than ${byteSize(maxBytes)}, the limit.`);
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const encodings = (answer.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity');
  if (encodings.length > maxEncodings) throw new WebFault(`${url.host} nests too many compressions in its answer.`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without an encoding the chunks are bytes
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(bytes);
  }
  if (!answer.complete) throw new Error('the answer ended early.');
  let body: Buffer = Buffer.concat(chunks);
  for (const name of encodings.toReversed()) {
    const decompress = Object.hasOwn(decompressors, name) ? decompressors[name] : undefined;
    if (decompress === undefined) {
      const words = /^[\w.-]{1,20}$/u.test(name) ? `: ${name}.` : '.';
      throw new WebFault(`${url.host} compresses its answer in a way that weft doesn't support${words}`);
    }
    try {
      body = await decompress(body, {maxOutputLength: maxBytes});
    } catch (cause) {
      if (hasCode(cause, 'ERR_BUFFER_TOO_LARGE')) throw tooLarge();
      throw cause;
    }
  }
  return body;
}

/** A few bytes may decompress to any size, so decompression stops at the bound. */
const decompressors: Readonly<
  Record<string, (body: Buffer, bounds: {readonly maxOutputLength: number}) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};
