import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {CommandsPort} from '../actions/commands-port.ts';
import {noopCommands} from '../actions/commands-port.ts';
import {type McpPort, noopMcp, type ServerProcesses} from '../actions/mcp-port.ts';
import type {JsonObject} from '../base/json.ts';
import {maxTimerMs} from '../base/timer-limits.ts';
import type {ConfiguredServer} from '../extensions/mcp/server-config.ts';
import type {Exchange} from '../extensions/mcp/exchange-transport.ts';
import type {ElicitUser} from '../extensions/mcp/server-entry.ts';
import type {ServerSet} from '../extensions/mcp/server-set.ts';
import type {makeServerProcesses} from '../workspace/exec/server-processes.ts';
import type {CommandSandbox} from '../workspace/sandbox/sandbox.ts';
import {limitedServers} from '../actions/mcp-port.ts';
import {userPath} from '../workspace/exec/trusted-path.ts';
import {version} from './version.ts';
import type {RunContext} from './run-context.ts';

export interface OpenServers {
  readonly mcp: McpPort;
  /** The prompts of the servers, as slash commands. */
  readonly commands: CommandsPort;
  /** Calls `learn` with every token that a server gets, including those from before this call. */
  learnTokens(learn: (token: string) => void): void;
  close(): Promise<void>;
}

export const emptyServers: OpenServers = {
  mcp: noopMcp,
  commands: noopCommands,
  learnTokens: () => {},
  close: async () => {},
};

interface ServersOptions {
  readonly context: RunContext;
  /** Logs one line that may explain why a server does not work. */
  readonly log: (line: string) => void;
  /** Whether the first request waits for servers that never connected before. */
  readonly newServers: 'awaited' | 'join-later';
}

/** Opens the servers from the settings and the command line, without starting them. Loads no MCP code if there are none. */
export async function openServers({context, log, newServers}: ServersOptions): Promise<OpenServers> {
  const {options, permissions, project: directory} = context;
  const isNamed =
    (options.mcpConfig ?? []).length > 0 ||
    Object.keys(permissions.settings.mcpServers).length > 0 ||
    (context.settingSources.has('project') && existsSync(join(directory, '.mcp.json'))) ||
    context.plugins.some(({namesServers, servers}) => namesServers && servers === 'count');
  if (!isNamed) return emptyServers;
  const {configuredServers} = await import('./mcp-servers.ts');
  const {servers, notices} = await configuredServers(context);
  for (const notice of notices) log(notice);
  if (servers.length === 0) return emptyServers;
  return makeServers(
    {context, log, newServers},
    {sdk: [], configured: servers, elicit: 'by-calls', exchange: noExchange},
  );
}

const noExchange: Exchange = async () => {
  throw new Error('No program drives weft.');
};

/** Makes a set of servers. It may be empty and grow later. */
export async function makeServers(
  {context, log, newServers}: ServersOptions,
  given: {
    readonly sdk: readonly string[];
    readonly configured: readonly ConfiguredServer[];
    readonly elicit: ElicitUser | 'by-calls';
    readonly exchange: Exchange;
  },
): Promise<OpenServers & {readonly set: ServerSet; deliver(name: string, message: JsonObject): void}> {
  const [{makeServerSet}, {makeConnector}, {openManifests}, {serverPrompts}] = await Promise.all([
    import('../extensions/mcp/server-set.ts'),
    import('../extensions/mcp/connector.ts'),
    import('../extensions/mcp/manifests.ts'),
    import('../extensions/mcp/server-prompts.ts'),
  ]);
  const processes = lazyProcesses(context);
  let sandbox: Promise<CommandSandbox> | undefined;
  const ended = new AbortController();
  const tokens = relayed();
  const connector = makeConnector({
    exchange: given.exchange,
    sdkTimeouts: {start: 60_000, silence: 300_000, call: Number.MAX_SAFE_INTEGER},
    processes,
    confined: async rights => {
      const {confinedServers} = await import('../workspace/exec/confined-servers.ts');
      return confinedServers(processes, await (sandbox ??= openSandbox(context)), rights);
    },
    environment: process.env,
    roots: context.roots,
    authorization: async (name, config) => {
      const {oauthDeps, serverAuthorization} = await import('./server-authorization.ts');
      const found = await serverAuthorization({name, config}, oauthDeps(tokens.learn), ended.signal);
      if (found.tag === 'failed') throw new Error(found.error);
      return found.value;
    },
    trustProblem: async server => {
      const {serverTrustProblem} = await import('./mcp-servers.ts');
      return serverTrustProblem(server, {directory: context.project, trust: context.projectTrust});
    },
    version,
  });
  const limitMs = startLimitMs(process.env['MCP_TIMEOUT']);
  const set = makeServerSet(
    {
      sdk: given.sdk,
      configured: given.configured,
      connect: connector.connect,
      explainConnectError: connector.explainConnectError,
      elicit: given.elicit,
      signIn: async ({name, config}, say, signal) =>
        (await import('./sign-in-server.ts')).signInSession(
          {name, config, directory: context.project},
          {say, learnSecret: tokens.learn},
          signal,
        ),
      manifests: openManifests(context.places.servers),
      log,
      now: () => performance.now(),
      newServerWaitMs: newServers === 'awaited' ? (limitMs ?? 10_000) : 'none',
      startLimitMs: limitMs ?? Infinity,
    },
    ended.signal,
  );
  const {deny} = context.settings.rules;
  const isLimited = deny.some(({tool}) => tool.startsWith('mcp__'));
  const {forbidsMcpTool} = isLimited
    ? await import('../safety/rules/matching-rule.ts')
    : {forbidsMcpTool: (): boolean => false};
  return {
    set,
    mcp: isLimited ? limitedServers(set, tool => !forbidsMcpTool(deny, tool)) : set,
    commands: serverPrompts(set),
    learnTokens: tokens.tell,
    deliver: (name, message) => connector.deliver(name, message),
    async close() {
      await set.close();
      ended.abort();
      await processes.close();
      await (await sandbox)?.close();
    },
  };
}

/** Reads `MCP_TIMEOUT`, in milliseconds. `undefined` for values other than positive numbers. */
const startLimitMs = (given: string | undefined): number | undefined =>
  Number(given) > 0 ? Math.min(Number(given), maxTimerMs) : undefined;

/** Opens the sandbox for the first confined server. */
const openSandbox = async (context: RunContext): Promise<CommandSandbox> =>
  (await import('./command-sandbox.ts')).commandSandbox(context, context.settings.sandbox);

/** Loads process handling with the first program that starts, which is after the first request. */
function lazyProcesses({places}: RunContext): ServerProcesses & {close(): Promise<void>} {
  let loaded: Promise<ReturnType<typeof makeServerProcesses>> | undefined;
  const load = async (): Promise<ReturnType<typeof makeServerProcesses>> => {
    const {makeServerProcesses: make, serverExitMs} = await import('../workspace/exec/server-processes.ts');
    const environment = {...process.env, PATH: userPath()};
    return make({environment, registryFolder: places.blocks, exitMs: serverExitMs});
  };
  return {
    start: async (program, events) => (await (loaded ??= load())).start(program, events),
    close: async () => (await loaded)?.close(),
  };
}

/** Collects tokens and passes them to a listener, including those from before it was set. */
function relayed(): {
  readonly learn: (token: string) => void;
  readonly tell: (listener: (token: string) => void) => void;
} {
  const known = new Set<string>();
  let hear: ((token: string) => void) | undefined;
  return {
    learn(token) {
      if (known.has(token)) return;
      known.add(token);
      hear?.(token);
    },
    tell(listener) {
      hear = listener;
      for (const token of known) listener(token);
    },
  };
}
