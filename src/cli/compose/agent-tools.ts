import type {McpPort} from '../../actions/mcp-port.ts';
import {failed} from '../../base/outcome.ts';
import {rejected} from '../../domain/fault.ts';
import type {RunContext} from './run-context.ts';

/** The tools that an agent may call; `all` where it names none. */
export interface AgentTools {
  readonly only: readonly string[] | 'all';
  readonly not: readonly string[];
}

/** Reads `tools` and `disallowedTools`; of a rule (`Bash(git:*)`) the tool counts. */
export function toolsOf(agent: RunContext['agent']): AgentTools {
  if (agent === 'none') return {only: 'all', not: []};
  const {tools, fields} = agent;
  const not = fields['disallowedTools'];
  const refused = typeof not === 'string' ? not.split(',') : Array.isArray(not) ? not.map(String) : [];
  const named = tools.map(toolName);
  return {only: named.length === 0 || named.includes('*') ? 'all' : named, not: refused.map(toolName)};
}

const toolName = (text: string): string => text.trim().replace(/\(.*$/su, '');

/** Whether an agent may call a tool. `mcp__server` names all tools of a server. */
export const mayCall = ({only, not}: AgentTools, tool: string): boolean =>
  (only === 'all' || only.some(name => covers(name, tool))) && !not.some(name => covers(name, tool));

const covers = (name: string, tool: string): boolean =>
  name === tool || (name.startsWith('mcp__') && tool.startsWith(name.endsWith('*') ? name.slice(0, -1) : `${name}__`));

/** The servers with those of their tools that an agent may call. */
export function limitedServers(mcp: McpPort, tools: AgentTools): McpPort {
  if (tools.only === 'all' && tools.not.length === 0) return mcp;
  let known: {readonly of: ReturnType<McpPort['tools']>; readonly list: ReturnType<McpPort['tools']>} | undefined;
  return {
    ready: signal => mcp.ready(signal),
    settled: signal => mcp.settled(signal),
    tools() {
      const of = mcp.tools();
      if (known?.of !== of) known = {of, list: of.filter(({toolName: name}) => mayCall(tools, name))};
      return known.list;
    },
    servers: () => mcp.servers(),
    async call(request, observer, signal) {
      const name = `mcp__${request.server.replaceAll(/[^\w-]/gu, '_')}__${request.tool}`;
      // A server whose tools are not known yet is called by name.
      if (!mayCall(tools, name)) return failed(rejected(`This agent may not use ${name}.`));
      return mcp.call(request, observer, signal);
    },
    resources: (...request) => mcp.resources(...request),
    readResource: (...request) => mcp.readResource(...request),
    prompts: () => mcp.prompts(),
    expandPrompt: (...request) => mcp.expandPrompt(...request),
    reconnect: server => mcp.reconnect(server),
    toggle: (server, wanted) => mcp.toggle(server, wanted),
    signIn: (...request) => mcp.signIn(...request),
  };
}
