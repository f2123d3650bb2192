import type {Authorization} from './oauth/session-auth.ts';
import {basename} from 'node:path';
import {pathToFileURL} from 'node:url';
import type {ServerProcesses} from '../../actions/mcp-port.ts';
import type {JsonObject} from '../../base/json.ts';
import {causeText} from '../../domain/fault.ts';
import type {Rights} from '../../domain/sandbox.ts';
import type {Exchange, ExchangeTransport} from './exchange-transport.ts';
import {type ConfiguredServer, expandConfig, type ServerConfig, type ServerTimes} from './server-config.ts';
import type {ConnectServer, ServerSetOptions} from './server-set.ts';

interface ConnectorOptions {
  /** Reaches the servers that run in the program which drives weft. */
  readonly exchange: Exchange;
  readonly sdkTimes: ServerTimes;
  readonly processes: ServerProcesses;
  /** Starts the programs that may not do all that the user may. */
  readonly confined: (rights: Exclude<Rights, 'unconfined'>) => Promise<ServerProcesses>;
  /** The variables that configurations may name. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The workspace folders; programs start in the first. */
  readonly roots: readonly [string, ...string[]];
  /** Gives an HTTP server what it wants to see of the user; `undefined` where its configuration does. */
  readonly authorization: (server: string, config: ServerConfig) => Promise<Authorization | undefined>;
  /** Why a server of the project may not be started now; empty if it may. */
  readonly obstacle: (server: Pick<ConfiguredServer, 'source'> & {readonly config: ServerConfig}) => Promise<string>;
  readonly version: string;
}

/** Connects servers of every kind; the protocol is loaded with the first. */
export interface Connector extends Pick<ServerSetOptions, 'connect' | 'trouble'> {
  /** Hands over a message that a server in the program which drives weft sent of its own; of an unknown server it is dropped. */
  deliver(name: string, message: JsonObject): void;
}

type Refusal = ReturnType<ServerSetOptions['trouble']>;

export function makeConnector(options: ConnectorOptions): Connector {
  const own = new Map<string, ExchangeTransport>();
  const roots = options.roots.map(root => ({uri: pathToFileURL(root).href, name: basename(root)}));
  let whyRefused: ((cause: unknown, name: string) => Refusal | undefined) | undefined;
  const withHeader = new Set<string>();
  const connect: ConnectServer = async (server, hears, signal) => {
    const [{connectServer}, {connectTransport, signInNeededIn}] = await Promise.all([
      import('./connect-server.ts'),
      import('./server-connection.ts'),
    ]);
    whyRefused = (cause, name) => {
      const needed = signInNeededIn(cause, name);
      if (needed === undefined) return undefined;
      return withHeader.has(name)
        ? {kind: 'failed', text: 'it refuses the credentials in its configuration'}
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
        {options: {...common, times: options.sdkTimes}, negotiation: 'legacy', era},
        signal,
      );
    }
    const obstacle = await options.obstacle(server);
    if (obstacle !== '') throw new Error(obstacle);
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
    trouble: (cause, name) => whyRefused?.(cause, name) ?? {kind: 'failed', text: troubleText(cause)},
    deliver: (name, message) => own.get(name)?.deliver(message),
  };
}

/** Why a server cannot be connected, in words; as long as the server makes them. */
export function troubleText(cause: unknown): string {
  const text = causeText(cause).replace(/^MCP error -?\d+: /u, '');
  if (text === 'Connection closed') return 'the server ended';
  const inner = cause instanceof Error ? cause.cause : undefined;
  return text === 'fetch failed' && inner !== undefined ? `it cannot be reached: ${causeText(inner)}` : text;
}
