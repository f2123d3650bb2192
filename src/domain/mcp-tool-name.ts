/**
 * The name by which models and permission rules know a tool of an MCP server: `mcp__SERVER__TOOL`. SERVER never holds `__`, so a
 * rule about one server can never mean another one. The result has no bound.
 */
export const mcpToolName = (server: string, tool: string): string => `${mcpServerName(server)}__${wireName(tool)}`;

/**
 * The rule that means all tools of a server: `mcp__SERVER`. A name that holds `__` or ends in `_` is shortened and marked by a
 * checksum.
 */
export function mcpServerName(server: string): string {
  const plain = wireName(server);
  const single = plain.replaceAll(/_{2,}/gu, '_').replace(/_$/u, '');
  return `mcp__${single === plain ? plain : `${single}_${checksum(server)}`}`;
}

/**
 * The name by which rules know what a harness asks for and weft has no word for: `harness__NAME__WHAT`. No tool of an MCP server has
 * such a name. WHAT ends in a checksum if it differs from the harness's own name.
 */
export function harnessToolName(harness: string, what: string): string {
  const plain = wireName(what);
  return `${harnessName(harness)}__${plain === what ? plain : `${plain}_${checksum(what)}`}`;
}

const harnessName = (harness: string): string => mcpServerName(harness).replace(/^mcp/u, 'harness');

/** The rule that means all of the server or harness that a tool of this name belongs to. */
export const ownerName = (owner: string, toolName: string): string =>
  isHarnessRule(toolName) ? harnessName(owner) : mcpServerName(owner);

/** Whether a rule's tool, or a tool name, is one of a harness. */
export const isHarnessRule = (tool: string): boolean => tool.startsWith('harness__');

/** The owner's part of a tool name, `mcp__SERVER` or `harness__NAME`; `undefined` if the name was cut before its end. */
export const serverPartOf = (toolName: string): string | undefined => /^((?:mcp|harness)__.+?)__/su.exec(toolName)?.[1];

/** Replaces the characters that tool names may not have by `_`. */
export const wireName = (name: string): string => name.replaceAll(/[^\w-]/gu, '_');

/** FNV-1a, eight hexadecimal digits. It tells names apart and guards nothing. */
export function checksum(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
