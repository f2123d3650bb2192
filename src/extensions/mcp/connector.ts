import type {Authorization} from './oauth/session-auth.ts';
import {basename} from 'node:path';
import {pathToFileURL} from 'node:url';
import type {ServerProcesses} from '../../actions/mcp-port.ts';
import type {JsonObject} from '../../base/json.ts';
import {causeText} from '../../domain/fault.ts';
import type {Rights} from '../../domain/sandbox.ts';
import type {Exchange, ExchangeTransport} from './exchange-transport.ts';
import {type ConfiguredServer, expandConfig, type ServerConfig, type ServerTimeouts} from './server-config.ts';
import type {ConnectServer, ServerSetOptions} from './server-set.ts';

interface ConnectorOptions {
  /** Reaches the servers inside the SDK program that drives weft. */
  readonly exchange: Exchange;
  readonly sdkTimeouts: ServerTimeouts;
  readonly processes: ServerProcesses;
  /** Starts programs with fewer rights than the user has. */
  readonly confined: (rights: Exclude<Rights, 'unconfined'>) => Promise<ServerProcesses>;
  /** The variables that configurations can refer to. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The workspace folders. Programs start in the first one. */
  readonly roots: readonly [string, ...string[]];
  /** Returns the authorization for an HTTP server, or `undefined` if its configuration provides it. */
  readonly authorization: (server: string, config: ServerConfig) => Promise<Authorization | undefined>;
  /** Returns why a project's server can't be started now; empty if it can. */
  readonly trustProblem: (
    server: Pick<ConfiguredServer, 'source'> & {readonly config: ServerConfig},
  ) => Promise<string>;
  readonly version: string;
}

/** Connects servers of every kind. The MCP client library is loaded with the first one. */
export interface Connector extends Pick<ServerSetOptions, 'connect' | 'explainConnectError'> {
  /** Delivers a message, other than an answer, from a server inside the SDK program. Messages of an unknown server are dropped. */
  deliver(name: string, message: JsonObject): void;
}

type Refusal = ReturnType<ServerSetOptions['explainConnectError']>;

export function makeConnector(options: ConnectorOptions): Connector {
  const own = new Map<string, ExchangeTransport>();
  const roots = options.roots.map(root => ({uri: pathToFileURL(root).href, name: basename(root)}));
  let explainRefusal: ((cause: unknown, name: string) => Refusal | undefined) | undefined;
  const withHeader = new Set<string>();
  const connect: ConnectServer = async (server, hears, signal) => {
    const [{connectServer}, {connectTransport, findSignInNeeded}] = await Promise.all([
      import('./connect-server.ts'),
      import('./server-connection.ts'),
    ]);
    explainRefusal = (cause, name) => {
      const needed = findSignInNeeded(cause, name);
      if (needed === undefined) return undefined;
      return withHeader.has(name)
        ? {kind: 'failed', text: 'it rejected the credentials in its configuration'}
        : {kind: 'needs-sign-in', text: needed.message};
    };
    const common = {
      server: server.name,
      version: options.version,
      services: {elicit: hears.elicit, sample: hears.sample, roots: () => roots},
      log: hears.log,
      changed: hears.changed,
    };
    if (server.kind === 'sdk') {
      const transport = new (await import('./exchange-transport.ts')).ExchangeTransport(server.name, options.exchange);
      own.set(server.name, transport);
      const era = {kind: 'unknown'} as const;
      return connectTransport(
        transport,
        {options: {...common, times: options.sdkTimeouts}, negotiation: 'legacy', era},
        signal,
      );
    }
    const problem = await options.trustProblem(server);
    if (problem !== '') throw new Error(problem);
    const config = expandConfig(server.config, options.environment);
    if (config.tag === 'failed') throw new Error(config.error);
    const authorization = await options.authorization(server.name, config.value);
    const {transport} = config.value;
    const rights = transport.kind === 'stdio' ? transport.rights : 'unconfined';
    if (authorization === undefined) withHeader.add(server.name);
    else withHeader.delete(server.name);
    return connectServer(
      {
        config: config.value,
        directory: options.roots[0],
        processes: rights === 'unconfined' ? options.processes : await options.confined(rights),
        authorization,
        era: server.era,
        options: {...common, times: config.value.times},
      },
      signal,
    );
  };
  return {
    connect,
    explainConnectError: (cause, name) =>
      explainRefusal?.(cause, name) ?? {kind: 'failed', text: connectErrorText(cause)},
    deliver: (name, message) => own.get(name)?.deliver(message),
  };
}

/** Returns why a server can't be connected, as text. The length is not bounded. */
export function connectErrorText(cause: unknown): string {
  const text = causeText(cause).replace(/^MCP error -?\d+: /u, '');
  if (text === 'Connection closed') return 'the server stopped';
  const inner = cause instanceof Error ? cause.cause : undefined;
  return text === 'fetch failed' && inner !== undefined ? `can't reach it: ${causeText(inner)}` : text;
}
