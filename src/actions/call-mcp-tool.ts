import type {JsonObject} from '../base/json.ts';
import {defineAction, text} from './define-action.ts';

export interface McpCallInput {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

export interface McpCallOutput {
  readonly content: string;
}

export interface McpCallCut {
  readonly server: string;
  readonly tool: string;
}

/** Tool names are made per server (`mcp__SERVER__TOOL`), so there is no fixed form here. */
export const callMcpTool = defineAction<McpCallInput, McpCallOutput, McpCallCut>({
  summary: 'Call a tool of an MCP server.',
  risk: 'external',
  scheduling: 'barrier',
  tools: [],
  label: input => `Call ${input.tool} of ${input.server}`,
  cancelled: input => ({server: input.server, tool: input.tool}),
  tell: output => text(output.content),
  tellCut: () => '',
  build: {state: 'declared'},
});
