import {mcpToolName} from '../actions/mcp-tool-name.ts';
import type {McpPort} from '../actions/mcp-port.ts';
import {failed} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';

/** The servers with those of their tools that an agent may call. The list of tools is the same where it may call all of them. */
export function limitedServers(mcp: McpPort, mayCall: (tool: string) => boolean): McpPort {
  let known: {readonly of: ReturnType<McpPort['tools']>; readonly list: ReturnType<McpPort['tools']>} | undefined;
  return {
    ready: signal => mcp.ready(signal),
    settled: signal => mcp.settled(signal),
    tools() {
      const of = mcp.tools();
      if (known?.of !== of) {
        const list = of.filter(({toolName: name}) => mayCall(name));
        known = {of, list: list.length === of.length ? of : list};
      }
      return known.list;
    },
    servers: () => mcp.servers(),
    async call(request, observer, signal) {
      const called = mcp.tools().find(({server, name: tool}) => server === request.server && tool === request.tool);
      // A server whose tools are not known yet is called by name.
      const name = called?.toolName ?? mcpToolName(request.server, request.tool);
      if (!mayCall(name)) return failed(rejected(`This agent may not use ${name}.`));
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
