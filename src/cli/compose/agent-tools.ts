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
