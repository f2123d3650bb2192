import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface McpResourceInput {
  readonly server: string;
  readonly uri: string;
}

export interface McpResourceOutput {
  readonly content: string;
}

export interface McpResourceCut {
  readonly uri: string;
}

export const readMcpResource = defineAction<McpResourceInput, McpResourceOutput, McpResourceCut>({
  summary: 'Read a resource of an MCP server.',
  risk: 'external',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'ReadMcpResourceTool',
      description: 'Read a resource of an MCP server.',
      schema: () => z.object({server: z.string(), uri: z.string()}),
      toInput: raw => raw,
    }),
  ],
  label: input => `Read ${input.uri} from ${input.server}`,
  cancelled: input => ({uri: input.uri}),
  tell: output => text(output.content),
  tellCut: () => '',
  build: {state: 'declared'},
});
