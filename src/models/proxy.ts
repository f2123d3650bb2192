import {request, type IncomingMessage} from 'node:http';
import {Agent, request as requestSecurely, type RequestOptions} from 'node:https';
import type {Socket} from 'node:net';
import {PassThrough, type Duplex} from 'node:stream';
import {connect as connectTls} from 'node:tls';
import {urlToHttpOptions} from 'node:url';
import {failed, ok, type Outcome, tryOr} from '../base/outcome.ts';

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/** How a request reaches its server. */
export type Route =
  | {readonly kind: 'direct'}
  | {
      readonly kind: 'proxied';
      readonly options: RequestOptions;
      /** Headers in addition to the request's own. */
      readonly headers: Readonly<Record<string, string>>;
      /** Classifies a response that comes from the proxy and not from the server. Returns `undefined` for the server's responses. */
      refusal(answer: IncomingMessage): ProxyError | undefined;
      /** Classifies an error of the request. Errors on the way to the proxy are attributed to the proxy. */
      explainError(cause: Error): Error;
    };

/** Routes plain HTTP requests to the proxy, and HTTPS requests through a tunnel. */
export function routeThroughProxy(target: URL, environment: ProxyEnvironment): Route {
  const proxy = proxyFor(target, environment);
  if (proxy === undefined) return {kind: 'direct'};
  if (target.protocol === 'https:') {
    const options = {...urlToHttpOptions(target), agent: tunnelOf(proxy)};
    return {kind: 'proxied', options, headers: {}, refusal: () => undefined, explainError: cause => cause};
  }
  const {address} = proxy;
  return {
    kind: 'proxied',
    options: {
      protocol: address.protocol,
      hostname: bare(address.hostname),
      port: portOf(address),
      path: `${target.origin}${target.pathname}${target.search}`,
    },
    headers: {host: target.host, ...authorization(address)},
    refusal: answer => refusedByProxy(answer, {target, proxy}),
    explainError: cause => ('syscall' in cause && cause.syscall !== 'read' ? unreachableProxy(cause, proxy) : cause),
  };
}

interface Proxy {
  readonly address: URL;
  /** The proxy's name in messages: its address without the password, and the variable that sets it. */
  readonly name: string;
  readonly variable: string;
}

/** Thrown if a proxy refuses weft or cannot be reached. `passing`: another try may succeed. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly fix: string;
  readonly kind: 'passing' | 'final';

  constructor(message: string, {fix, lasts}: {readonly fix: string; readonly lasts: 'passing' | 'final'}) {
    super(message);
    this.fix = fix;
    this.kind = lasts;
  }
}

/** Returns the proxy for an address from HTTPS_PROXY or HTTP_PROXY, ALL_PROXY and NO_PROXY. Lower-case names come first, as in curl. */
export function proxyFor(address: URL, environment: ProxyEnvironment): Proxy | undefined {
  const names = address.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const all = ['all_proxy', 'ALL_PROXY'];
  const variable = [...names, ...all].find(name => (environment[name] ?? '').trim() !== '');
  if (variable === undefined || isExempt(address, environment['no_proxy'] || environment['NO_PROXY'] || '')) {
    return undefined;
  }
  const given = (environment[variable] ?? '').trim();
  const proxy = URL.parse(/^[a-z][a-z\d+.-]*:\/\//iu.test(given) ? given : `http://${given}`);
  if (proxy === null || proxy.hostname === '') {
    throw new ProxyError(`${variable} is not a proxy URL.`, {
      fix: `Set it to http://host:port, or unset it.`,
      lasts: 'final',
    });
  }
  const name = `${proxy.protocol}//${proxy.host} (${variable})`;
  if (proxy.protocol === 'http:' || proxy.protocol === 'https:') return {address: proxy, name, variable};
  // In that case, ALL_PROXY names a SOCKS proxy, for other programs.
  if (all.includes(variable)) return undefined;
  throw new ProxyError(`weft does not support this kind of proxy: ${name}.`, {
    fix: `Set ${variable} to a proxy that begins with http:// or https://, or add the server to NO_PROXY.`,
    lasts: 'final',
  });
}

/**
 * True if the list contains the host or a parent domain (with or without a dot or `*.` before it), with or without a
 * port. `*` means all hosts.
 */
function isExempt(address: URL, list: string): boolean {
  const host = bare(address.hostname);
  const port = address.port === '' ? (address.protocol === 'https:' ? '443' : '80') : address.port;
  return list
    .toLowerCase()
    .split(/[\s,]+/u)
    .some(entry => {
      if (entry === '*') return true;
      const [, named = '', wanted] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*)(?::(\d+))?$/u.exec(entry) ?? [];
      const domain = bare(named).replace(/^\*?\./u, '');
      if (domain === '' || (wanted !== undefined && wanted !== port)) return false;
      return host === domain || host.endsWith(`.${domain}`);
    });
}

const bare = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/u, '$1')
    .replace(/\.$/u, '');

/** Classifies a response that the proxy gave instead of the server. Returns `undefined` for the server's responses. */
function refusedByProxy(
  {statusCode = 0, statusMessage = '', headers}: IncomingMessage,
  {target, proxy}: {readonly target: URL; readonly proxy: Proxy},
): ProxyError | undefined {
  // Model servers explain refusals in JSON, and proxies send web pages.
  const isPage = !/\bjson\b/iu.test(headers['content-type'] ?? '');
  const isRefusal = statusCode === 407 || (isPage && [403, 502, 503, 504].includes(statusCode));
  return isRefusal ? refusal({status: statusCode, statusText: statusMessage}, {to: target.host, proxy}) : undefined;
}

/** One agent for each proxy, so that connections are reused. */
const tunnels = new Map<string, Agent>();

function tunnelOf(proxy: Proxy): Agent {
  const known = tunnels.get(proxy.address.href);
  if (known !== undefined) return known;
  const agent = new TunnelAgent(proxy);
  tunnels.set(proxy.address.href, agent);
  return agent;
}

class TunnelAgent extends Agent {
  readonly #proxy: Proxy;

  constructor(proxy: Proxy) {
    // The options of Node's own agent.
    super({keepAlive: true, scheduling: 'lifo', timeout: 5000});
    this.#proxy = proxy;
  }

  override createConnection(
    {host, port, servername = ''}: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const name = bare(host ?? '');
    const to = `${name.includes(':') ? `[${name}]` : name}:${port ?? 443}`;
    openTunnel(to, this.#proxy, opened => {
      if (opened.tag === 'ok') callback?.(null, connectTls({socket: opened.value, servername, host: name}));
      // Callers ignore the stream if there is an error.
      else callback?.(opened.error, new PassThrough());
    });
  }
}

/** The longest time that a proxy may take to open a tunnel, in milliseconds. */
const maxOpeningMs = 30_000;

/** Opens a tunnel and calls `done` exactly once. */
function openTunnel(to: string, proxy: Proxy, done: (opened: Outcome<Socket, ProxyError>) => void): void {
  const {address} = proxy;
  const opening = (address.protocol === 'https:' ? requestSecurely : request)({
    method: 'CONNECT',
    hostname: bare(address.hostname),
    port: portOf(address),
    path: to,
    headers: {host: to, ...authorization(address)},
    agent: false,
    timeout: maxOpeningMs,
  });
  opening.once('connect', ({statusCode = 0, statusMessage = ''}, socket: Socket) => {
    socket.setTimeout(0);
    if (statusCode >= 200 && statusCode < 300) {
      done(ok(socket));
      return;
    }
    socket.destroy();
    done(failed(refusal({status: statusCode, statusText: statusMessage}, {to, proxy})));
  });
  opening.once('timeout', () => opening.destroy(new Error('it did not answer')));
  opening.once('error', cause => done(failed(unreachableProxy(cause, proxy))));
  opening.end();
}

/** Returns the error for a proxy that refused the connection, or closed it before any response. */
const unreachableProxy = (cause: Error, {name, variable}: Proxy): ProxyError =>
  new ProxyError(`The proxy ${name} cannot be reached (${'code' in cause ? String(cause.code) : cause.message}).`, {
    fix: `Check ${variable}, or add the host to NO_PROXY.`,
    lasts: 'passing',
  });

function refusal(
  {status, statusText}: {readonly status: number; readonly statusText: string},
  {to, proxy}: {readonly to: string; readonly proxy: Proxy},
): ProxyError {
  const {name, variable, address} = proxy;
  if (status === 407) {
    const fix =
      address.username === ''
        ? `Add them to ${variable}: ${address.protocol}//user:password@${address.host}`
        : `Check those in ${variable}.`;
    return new ProxyError(`The proxy ${name} needs a user name and a password (407).`, {fix, lasts: 'final'});
  }
  const words = statusText === '' ? '' : ` ${statusText}`;
  return new ProxyError(`The proxy ${name} refused the connection to ${to} (${status}${words}).`, {
    fix: `Check ${variable}, or add the host to NO_PROXY.`,
    lasts: status >= 500 ? 'passing' : 'final',
  });
}

const portOf = ({port, protocol}: URL): string => port || (protocol === 'https:' ? '443' : '80');

function authorization({username, password}: URL): Readonly<Record<string, string>> {
  if (username === '') return {};
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return {'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`};
}

const decoded = (text: string): string => tryOr(() => decodeURIComponent(text), text);
