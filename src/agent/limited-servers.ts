import type {McpPort, McpTool} from '../actions/mcp-port.ts';
import {failed} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';

/** Restricts MCP servers to the tools that an agent may call. If it may call all, the list of tools is the same object. */
export function limitedServers(
  mcp: McpPort,
  mayCall: (tool: Pick<McpTool, 'server' | 'toolName'>) => boolean,
): McpPort {
  let known: {readonly of: ReturnType<McpPort['tools']>; readonly list: ReturnType<McpPort['tools']>} | undefined;
  return {
    ready: signal => mcp.ready(signal),
    settled: signal => mcp.settled(signal),
    tools() {
      const of = mcp.tools();
      if (known?.of !== of) {
        const list = of.filter(mayCall);
        known = {of, list: list.length === of.length ? of : list};
      }
      return known.list;
    },
    servers: () => mcp.servers(),
    async call(request, observer, signal) {
      if (!mayCall(request)) return failed(rejected(`${request.toolName} may not be used here.`));
      return mcp.call(request, observer, signal);
    },
    resources: (...request) => mcp.resources(...request),
    listedResources: () => mcp.listedResources(),
    readResource: (...request) => mcp.readResource(...request),
    prompts: () => mcp.prompts(),
    expandPrompt: (...request) => mcp.expandPrompt(...request),
    reconnect: server => mcp.reconnect(server),
    toggle: (server, wanted) => mcp.toggle(server, wanted),
    signIn: (...request) => mcp.signIn(...request),
  };
}
