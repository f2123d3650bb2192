import * as z from 'zod/mini';
import {ok} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';
import type {McpPort, McpResource, McpResult} from './mcp-port.ts';
import {settledBy, type Settled} from '../domain/settled.ts';

export type McpResourceInput =
  | {readonly kind: 'read'; readonly server: string; readonly uri: string}
  /** `undefined` lists the resources of every server. */
  | {readonly kind: 'list'; readonly server: string | undefined};

export type McpResourceOutput =
  | {readonly kind: 'read'; readonly result: McpResult}
  | {readonly kind: 'list'; readonly resources: readonly McpResource[]};

export interface McpResourcePartial {
  readonly uri: string;
}

/** Offered only where a server has resources. */
export const readMcpResource = defineAction<McpResourceInput, McpResourceOutput, McpResourcePartial>({
  summary: 'Read a resource of an MCP server.',
  risk: 'external',
  offered: 'mcp-resources',
  access: input =>
    input.kind === 'list'
      ? {kind: 'none'}
      : {kind: 'mcp-resource', server: input.server, toolName: 'ReadMcpResourceTool', uri: input.uri},
  asks: [
    {name: 'mcp-resource', risks: ['external'], askedWhen: 'no rule allows it: a server reads something for the model'},
  ],
  tools: [
    toolForm({
      name: 'ListMcpResourcesTool',
      description: 'List the resources that MCP servers offer, of one server or of all.',
      otherNames: {server_name: 'server'},
      schema: () => z.object({server: z.optional(z.string())}),
      toInput: (raw): McpResourceInput => ({kind: 'list', server: raw.server}),
    }),
    toolForm({
      name: 'ReadMcpResourceTool',
      description: 'Read a resource of an MCP server by its URI.',
      otherNames: {server_name: 'server'},
      schema: () => z.object({server: z.string(), uri: z.string()}),
      toInput: (raw): McpResourceInput => ({kind: 'read', ...raw}),
    }),
  ],
  label: input =>
    input.kind === 'read'
      ? `Read ${input.uri} from ${input.server}`
      : `List the resources of ${input.server ?? 'all MCP servers'}`,
  cancelled: input => ({uri: input.kind === 'read' ? input.uri : ''}),
  modelContent(output) {
    switch (output.kind) {
      case 'read':
        return output.result.blocks;
      case 'list':
        return textContent(
          output.resources.length === 0 ? 'There are no resources.' : output.resources.map(line).join('\n'),
        );
      default:
        return unreachable(output);
    }
  },
  run: async (input, {ports, signal}) =>
    input.kind === 'read' ? read(input, ports.mcp, signal) : list(input, ports.mcp, signal),
});

async function read(
  {server, uri}: Extract<McpResourceInput, {kind: 'read'}>,
  mcp: McpPort,
  signal: AbortSignal,
): Promise<Settled<McpResourceOutput, McpResourcePartial>> {
  const found = await mcp.readResource({server, uri}, signal);
  return settledBy(found.tag === 'ok' ? ok({kind: 'read', result: found.value}) : found);
}

async function list(
  {server}: Extract<McpResourceInput, {kind: 'list'}>,
  mcp: McpPort,
  signal: AbortSignal,
): Promise<Settled<McpResourceOutput, McpResourcePartial>> {
  const found = await mcp.resources(server, signal);
  return settledBy(found.tag === 'ok' ? ok({kind: 'list', resources: found.value}) : found);
}

const line = ({server, uri, name, description, mediaType}: McpResource): string =>
  [`${server}: ${uri}`, name, mediaType, description].filter(part => part !== '').join(' · ');
