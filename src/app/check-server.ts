import {raceAbort} from '../base/race.ts';
import {connectErrorText} from '../extensions/mcp/connector.ts';
import type {SignInNeeded} from '../extensions/mcp/oauth/sign-in-needed.ts';
import type {OAuthDeps} from '../extensions/mcp/oauth/session-auth.ts';
import {expandConfig, type ServerConfig} from '../extensions/mcp/server-config.ts';
import type {ServerConnection} from '../extensions/mcp/server-connection.ts';
import {version} from './version.ts';
import {serverAuthorization} from './server-authorization.ts';
import {userPlaces} from './user-data.ts';
import type {CommandSandbox} from '../workspace/sandbox/sandbox.ts';

/** The result of connecting to a server to check whether it answers. */
export type ServerCheck =
  | {readonly status: 'connected'; readonly title: string; readonly version: string; readonly tools: number}
  | {readonly status: 'needs-sign-in'; readonly cause: SignInNeeded}
  | {readonly status: 'failed'; readonly error: string};

export interface CheckedServer {
  readonly name: string;
  /** The configuration, with variables not yet expanded. */
  readonly config: ServerConfig;
  readonly directory: string;
}

/** Connects to servers to check whether they answer. Nothing keeps running after `close`. */
export interface ServerChecker {
  /** Checks a server within `limitMs` or its own startup timeout, whichever is shorter. */
  check(server: CheckedServer, limitMs: number): Promise<ServerCheck>;
  close(): Promise<void>;
}

export async function serverChecker(deps: OAuthDeps, signal: AbortSignal): Promise<ServerChecker> {
  const [{makeServerProcesses, serverExitMs}, {connectServer, needsAuthorization}, {findSignInNeeded}] =
    await Promise.all([
      import('../workspace/exec/server-processes.ts'),
      import('../extensions/mcp/connect-server.ts'),
      import('../extensions/mcp/server-connection.ts'),
    ]);
  const processes = makeServerProcesses({
    environment: process.env,
    registryFolder: userPlaces().blocks,
    exitMs: serverExitMs,
  });
  let sandbox: CommandSandbox | undefined;
  return {
    async close() {
      await processes.close();
      await sandbox?.close();
    },
    async check({name, config: given, directory}, limitMs) {
      const expanded = expandConfig(given, process.env);
      if (expanded.tag === 'failed') return {status: 'failed', error: expanded.error};
      const config = expanded.value;
      const bound = Math.min(limitMs, config.times.start);
      const until = AbortSignal.any([signal, AbortSignal.timeout(bound)]);
      const authorization = await serverAuthorization({name, config}, deps, until);
      if (authorization.tag === 'failed') return {status: 'failed', error: authorization.error};
      const {transport} = config;
      const rights = transport.kind === 'stdio' ? transport.rights : 'unconfined';
      sandbox ??= rights === 'unconfined' ? undefined : (await import('./command-sandbox.ts')).folderSandbox(directory);
      const starting =
        rights === 'unconfined' || sandbox === undefined
          ? processes
          : (await import('../workspace/exec/confined-servers.ts')).confinedServers(processes, sandbox, rights);
      let connection: ServerConnection | undefined;
      const said: string[] = [];
      const attempt = async (): Promise<ServerCheck> => {
        connection = await connectServer(
          {
            config,
            directory,
            processes: starting,
            authorization: authorization.value,
            era: {kind: 'unknown'},
            options: {
              server: name,
              version,
              times: {...config.times, start: bound},
              services: {
                elicit: async () => ({action: 'cancel', content: undefined}),
                sample: undefined,
                roots: () => [],
              },
              log: line => void said.push(line),
              changed: () => {},
            },
          },
          until,
        );
        const tools = await connection.listTools(until);
        return {status: 'connected', title: connection.title, version: connection.version, tools: tools.length};
      };
      try {
        const checked = await raceAbort(attempt(), until);
        return checked === 'aborted' ? {status: 'failed', error: `no answer within ${bound / 1000} s`} : checked;
      } catch (cause) {
        const isAsked = authorization.value !== undefined;
        const needed = isAsked ? findSignInNeeded(cause, name) : undefined;
        if (needed !== undefined) return {status: 'needs-sign-in', cause: needed};
        const more = said.at(-1);
        const error = needsAuthorization(cause)
          ? 'it rejects the credentials in its configuration'
          : until.aborted
            ? `no answer within ${bound / 1000} s`
            : connectErrorText(cause);
        return {status: 'failed', error: more === undefined || isSaid(more, error) ? error : `${error} (${more})`};
      } finally {
        await connection?.close().catch(() => {});
      }
    },
  };
}

/** True if the error already contains the last line of the log. */
const isSaid = (line: string, error: string): boolean => line === 'fetch failed' || error.includes(line);
