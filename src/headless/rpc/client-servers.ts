import type {McpServerState} from '../../actions/mcp-port.ts';
import type {JsonObject} from '../../base/json.ts';
import type {Outcome} from '../../base/outcome.ts';

/** The MCP servers inside the client, as the client handles them. */
export interface ClientServers {
  /** Waits for those that are just starting, a few seconds at most. */
  ready(signal: AbortSignal): Promise<void>;
  servers(): readonly McpServerState[];
  tools(): readonly {readonly server: string; readonly name: string; readonly toolName: string}[];
  /** From now on these and no others. */
  set(names: readonly string[]): Promise<{
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly errors: Readonly<Record<string, string>>;
  }>;
  reconnect(name: string): Promise<Outcome<undefined, string>>;
  toggle(name: string, state: 'enabled' | 'disabled'): Promise<Outcome<undefined, string>>;
  /** A message that a server sends on its own. */
  deliver(name: string, message: JsonObject): void;
}

/** A server's state in the Agent SDK's form. */
export const serverStatus = (
  {name, status, source, error, title, version}: McpServerState,
  tools: readonly {readonly server: string; readonly name: string}[],
): JsonObject => ({
  name,
  status,
  source,
  scope: source,
  ...(error === '' ? {} : {error}),
  ...(status === 'connected'
    ? {
        serverInfo: {name: title, version},
        tools: tools.filter(({server}) => server === name).map(tool => ({name: tool.name})),
      }
    : {}),
});
