import {
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type {ServerProcesses} from '../../actions/mcp-port.ts';
import type {Authorization} from './oauth/session-auth.ts';
import type {ServerConfig} from './server-config.ts';
import {
  type ConnectionOptions,
  connectTransport,
  type ProtocolEra,
  type ServerConnection,
} from './server-connection.ts';
import {StdioTransport} from './stdio-transport.ts';

export interface ServerToConnect {
  /** The configuration with its variables filled in (`expandConfig`). */
  readonly config: ServerConfig;
  /** The working directory of a program whose configuration has none. */
  readonly directory: string;
  readonly processes: ServerProcesses;
  /** Authorizes requests to an HTTP server. `undefined`: only the headers of the configuration are sent. */
  readonly authorization: Authorization | undefined;
  /** The result of an earlier connection. It counts only if the configuration says `auto`. */
  readonly era: ProtocolEra;
  readonly options: ConnectionOptions;
}

/**
 * Connects one configured server: starts its program, or calls its address. Rejects with a reason for people;
 * `needsAuthorization` tells if the user has to sign in. After a rejection, no part of the server keeps running.
 */
export async function connectServer(server: ServerToConnect, signal: AbortSignal): Promise<ServerConnection> {
  const {transport} = server.config;
  if (transport.kind === 'stdio') return connectStdio(server, transport, signal);
  const {url, headers} = transport;
  const options = {requestInit: {headers: {...headers}}, ...server.authorization};
  const connectBySse = () =>
    connectBy(server, {open: () => new SSEClientTransport(new URL(url), options), era: legacy}, signal);
  if (transport.kind === 'sse') return connectBySse();
  const open = (): Transport => new StreamableHTTPClientTransport(new URL(url), options);
  try {
    return await connectBy(server, {open, era: eraOf(server)}, signal);
  } catch (cause) {
    if (transport.kind === 'http' || !isOldServer(cause)) throw cause;
    return connectBySse();
  }
}

const legacy = {kind: 'legacy'} as const;

export const needsAuthorization = (cause: unknown): boolean =>
  cause instanceof UnauthorizedError || (cause instanceof SdkHttpError && cause.status === 401);

/** True for the error of an SSE server, which accepts no messages at the address of its stream. */
const isOldServer = (cause: unknown): boolean => cause instanceof SdkHttpError && [404, 405].includes(cause.status);

const eraOf = ({config, era}: ServerToConnect): ProtocolEra => (config.protocol === 'auto' ? era : {kind: 'unknown'});

interface Attempt {
  readonly open: () => Transport;
  readonly era: ProtocolEra;
}

function connectBy(server: ServerToConnect, {open, era}: Attempt, signal: AbortSignal): Promise<ServerConnection> {
  const {protocol} = server.config;
  const negotiation = protocol === '2026-07-28' ? {pin: protocol} : protocol;
  return connectTransport(open(), {options: server.options, negotiation, era}, signal);
}

/**
 * Connects to a program. A program of the old revisions may exit when asked for its revision. In that case it is
 * started once more and not asked.
 */
async function connectStdio(
  server: ServerToConnect,
  program: Extract<ServerConfig['transport'], {kind: 'stdio'}>,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const {directory, processes, options, config} = server;
  const {command, args, env, cwd} = program;
  const open = (): Transport =>
    new StdioTransport({command, args, env, directory: cwd === '' ? directory : cwd}, {processes, log: options.log});
  try {
    return await connectBy(server, {open, era: eraOf(server)}, signal);
  } catch (cause) {
    const isUnknown = config.protocol === 'auto' && server.era.kind === 'unknown';
    const hasEnded = cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed;
    if (!isUnknown || !hasEnded || signal.aborted) throw cause;
    return connectBy(server, {open, era: legacy}, signal);
  }
}
