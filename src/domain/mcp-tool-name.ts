/**
 * Returns the name that models and permission rules use for a tool of an MCP server: `mcp__SERVER__TOOL`. SERVER never
 * contains `__`, so a rule for one server can never mean another one. The length of the name has no limit.
 */
export const mcpToolName = (server: string, tool: string): string => `${mcpServerName(server)}__${wireName(tool)}`;

/**
 * Returns the rule that means all tools of a server: `mcp__SERVER`. A name that contains `__` or ends in `_` is
 * shortened and gets a checksum.
 */
export function mcpServerName(server: string): string {
  const plain = wireName(server);
  const single = plain.replaceAll(/_{2,}/gu, '_').replace(/_$/u, '');
  return `mcp__${single === plain ? plain : `${single}_${checksum(server)}`}`;
}

/**
 * Returns the name that rules use for a harness's request that matches no action of weft: `harness__NAME__WHAT`. No
 * tool of an MCP server has such a name. WHAT ends in a checksum if it differs from the harness's own name.
 */
export function harnessToolName(harness: string, what: string): string {
  const plain = wireName(what);
  return `${harnessName(harness)}__${plain === what ? plain : `${plain}_${checksum(what)}`}`;
}

const harnessName = (harness: string): string => mcpServerName(harness).replace(/^mcp/u, 'harness');

/** Returns the rule that means everything of the server or harness to which the named tool belongs. */
export const ownerName = (owner: string, toolName: string): string =>
  isHarnessRule(toolName) ? harnessName(owner) : mcpServerName(owner);

/** True if a rule's tool, or a tool name, belongs to a harness. */
export const isHarnessRule = (tool: string): boolean => tool.startsWith('harness__');

/**
 * Returns the owner's part of a tool name, `mcp__SERVER` or `harness__NAME`; `undefined` if the name was cut before the
 * end of this part.
 */
export const serverPartOf = (toolName: string): string | undefined => /^((?:mcp|harness)__.+?)__/su.exec(toolName)?.[1];

/** Replaces the characters that tool names may not contain by `_`. */
export const wireName = (name: string): string => name.replaceAll(/[^\w-]/gu, '_');

/** Returns the FNV-1a hash as eight hexadecimal digits. It only distinguishes names and protects nothing. */
export function checksum(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
