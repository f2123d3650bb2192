import {basename} from 'node:path';
import {pathToFileURL} from 'node:url';
import type {AuthProvider, OAuthClientProvider} from '@modelcontextprotocol/client';
import type {ServerProcesses} from '../../actions/mcp-port.ts';
import type {JsonObject} from '../../base/json.ts';
import {causeText} from '../../domain/fault.ts';
import {type Exchange, ExchangeTransport} from './exchange-transport.ts';
import {expandConfig, type ServerTimes} from './server-config.ts';
import type {ConnectServer, ServerSetOptions} from './server-set.ts';

interface ConnectorOptions {
  /** Reaches the servers that run in the program which drives weft. */
  readonly exchange: Exchange;
  /** Milliseconds for those servers. */
  readonly sdkTimes: ServerTimes;
  readonly processes: ServerProcesses;
  /** The variables that configurations may name. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The workspace folders; programs start in the first. */
  readonly roots: readonly [string, ...string[]];
  /** Gives an HTTP server what it wants to see of the user. */
  readonly authorization: (
    server: string,
    config: JsonObject,
  ) => Promise<AuthProvider | OAuthClientProvider | undefined>;
  /** weft's own version. */
  readonly version: string;
}

/** Connects servers of every kind; the protocol is loaded with the first. */
export interface Connector extends Pick<ServerSetOptions, 'connect' | 'trouble'> {
  /** Hands over a message that a server in the program which drives weft sent of its own; of an unknown server it is dropped. */
  deliver(name: string, message: JsonObject): void;
}

export function makeConnector(options: ConnectorOptions): Connector {
  const own = new Map<string, ExchangeTransport>();
  const roots = options.roots.map(root => ({uri: pathToFileURL(root).href, name: basename(root)}));
  let needsSignIn: ((cause: unknown) => boolean) | undefined;
  const connect: ConnectServer = async (server, hears, signal) => {
    const {connectServer, needsAuthorization} = await import('./connect-server.ts');
    needsSignIn = needsAuthorization;
    const common = {
      server: server.name,
      version: options.version,
      services: {elicit: hears.elicit, sample: undefined, roots: () => roots},
      log: hears.log,
      changed: hears.changed,
    };
    if (server.kind === 'sdk') {
      const {connectTransport} = await import('./server-connection.ts');
      const transport = new ExchangeTransport(server.name, options.exchange);
      own.set(server.name, transport);
      const era = {kind: 'unknown'} as const;
      return connectTransport(
        transport,
        {options: {...common, times: options.sdkTimes}, negotiation: 'legacy', era},
        signal,
      );
    }
    const config = expandConfig(server.config, options.environment);
    if (config.tag === 'failed') throw new Error(config.error);
    const isProgram = config.value.transport.kind === 'stdio';
    return connectServer(
      {
        config: config.value,
        directory: options.roots[0],
        processes: options.processes,
        authorization: isProgram ? undefined : await options.authorization(server.name, config.value.oauth),
        era: server.era,
        options: {...common, times: config.value.times},
      },
      signal,
    );
  };
  return {
    connect,
    trouble: (cause, name) =>
      needsSignIn?.(cause) === true
        ? {kind: 'needs-sign-in', text: `needs sign-in: weft mcp login ${name}`}
        : {kind: 'failed', text: troubleText(cause)},
    deliver: (name, message) => own.get(name)?.deliver(message),
  };
}

function troubleText(cause: unknown): string {
  const text = causeText(cause).replace(/^MCP error -?\d+: /u, '');
  if (text === 'Connection closed') return 'the server ended';
  const inner = cause instanceof Error ? cause.cause : undefined;
  return text === 'fetch failed' && inner !== undefined ? `it cannot be reached: ${causeText(inner)}` : text;
}
