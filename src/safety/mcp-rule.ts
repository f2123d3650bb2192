import type {PermissionRules} from './rules.ts';

/**
 * Whether a rule's `mcp__…` speaks of a tool: `mcp__SERVER__TOOL` of that one, `mcp__SERVER` and `mcp__SERVER__*` of all of the
 * server, a `*` at the end of all that begin so. A rule that allows must name the server whole: servers choose their tools'
 * names, and a name that looks like another server's must gain nothing.
 */
export function namesMcpTool(
  rule: string,
  {server, toolName}: {readonly server: string; readonly toolName: string},
  behaviour: keyof PermissionRules,
): boolean {
  if (rule === toolName) return true;
  const own = `mcp__${server.replaceAll(/[^\w-]/gu, '_')}`;
  const ofServer = rule.endsWith('*') ? rule.slice(0, -1) : `${rule}__`;
  if (!rule.endsWith('*') && rule === own) return true;
  if (behaviour === 'allow')
    return rule.endsWith('*') && ofServer.startsWith(`${own}__`) && toolName.startsWith(ofServer);
  return toolName.startsWith(ofServer) || ofServer === `${own}__`;
}
