import type {McpCallObserver} from '../../../src/actions/mcp-port.ts';
import type {JsonObject} from '../../../src/base/json.ts';
import {makeConnector} from '../../../src/extensions/mcp/connector.ts';
import type {Exchange} from '../../../src/extensions/mcp/exchange-transport.ts';
import type {ElicitUser} from '../../../src/extensions/mcp/server-entry.ts';
import {makeServerSet, type ServerSet} from '../../../src/extensions/mcp/server-set.ts';

export interface SdkServerOptions {
  readonly names: readonly string[];
  readonly exchange: Exchange;
  readonly log: (line: string) => void;
  readonly elicit: ElicitUser;
  readonly version: string;
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly newServerWaitMs: number;
  readonly startLimitMs: number;
}

export interface SdkServers extends ServerSet {
  deliver(name: string, message: JsonObject): void;
}

/** The servers that run in the program which drives weft, and no others. */
export function connectSdkServers(options: SdkServerOptions, signal: AbortSignal): SdkServers {
  const connector = makeConnector({
    exchange: options.exchange,
    sdkTimeouts: {start: options.startTimeoutMs, silence: options.callTimeoutMs, call: 60_000},
    processes: {start: async () => ({tag: 'failed', error: 'no programs here'})},
    confined: async () => {
      throw new Error('no program is started here');
    },
    environment: {},
    roots: ['/work'],
    authorization: async () => undefined,
    version: options.version,
    trustProblem: async () => '',
  });
  const set = makeServerSet(
    {
      ...options,
      sdk: options.names,
      configured: [],
      connect: connector.connect,
      explainConnectError: connector.explainConnectError,
      signIn: async () => ({tag: 'failed', error: 'nobody signs in here'}),
      manifests: {read: () => undefined, write: async () => {}},
      now: () => performance.now(),
    },
    signal,
  );
  return Object.assign(set, {deliver: (name: string, message: JsonObject) => connector.deliver(name, message)});
}

/** Hears nothing, and asks nobody. */
export const silent: McpCallObserver = {
  progress: () => {},
  elicit: async () => ({action: 'decline', content: undefined}),
  sample: async () => ({tag: 'failed', error: 'nobody samples here'}),
};
