import * as z from 'zod/mini';
import {ok} from '../base/outcome.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';
import type {McpResource, McpResult} from './mcp-port.ts';
import {settledBy} from '../domain/settled.ts';

export type McpResourceInput =
  | {readonly kind: 'read'; readonly server: string; readonly uri: string}
  /** `undefined` lists the resources of every server. */
  | {readonly kind: 'list'; readonly server: string | undefined};

export type McpResourceOutput =
  | {readonly kind: 'read'; readonly result: McpResult}
  | {readonly kind: 'list'; readonly resources: readonly McpResource[]};

/** Offered only if a server has resources. */
export const readMcpResource = defineAction<McpResourceInput, McpResourceOutput, {readonly uri: string}>({
  summary: 'Read a resource of an MCP server.',
  risk: 'external',
  offered: 'mcp-resources',
  access: input =>
    input.kind === 'list'
      ? {kind: 'none'}
      : {kind: 'mcp-resource', server: input.server, toolName: 'ReadMcpResourceTool', uri: input.uri},
  asks: [{name: 'mcp-resource', risks: ['external'], askedWhen: 'no rule allows it'}],
  tools: [
    toolForm({
      name: 'ListMcpResourcesTool',
      description: 'List the resources of one MCP server or of all.',
      aliases: {server_name: 'server'},
      schema: () => z.object({server: z.optional(z.string())}),
      toInput: (raw): McpResourceInput => ({kind: 'list', server: raw.server}),
    }),
    toolForm({
      name: 'ReadMcpResourceTool',
      description: 'Read a resource of an MCP server by its URI.',
      aliases: {server_name: 'server'},
      schema: () => z.object({server: z.string(), uri: z.string()}),
      toInput: (raw): McpResourceInput => ({kind: 'read', ...raw}),
    }),
  ],
  label: input =>
    input.kind === 'read'
      ? `Read ${input.uri} from ${input.server}`
      : `List the resources of ${input.server ?? 'all MCP servers'}`,
  cancelled: input => ({uri: input.kind === 'read' ? input.uri : ''}),
  modelContent: output => (output.kind === 'read' ? output.result.blocks : textContent(listText(output.resources))),
  past: 'as-it-is',
  async run(input, {ports: {mcp}, signal}) {
    if (input.kind === 'read') {
      const read = await mcp.readResource({server: input.server, uri: input.uri}, signal);
      return settledBy(read.tag === 'ok' ? ok({kind: 'read', result: read.value}) : read);
    }
    const listed = await mcp.resources(input.server, signal);
    return settledBy(listed.tag === 'ok' ? ok({kind: 'list', resources: listed.value}) : listed);
  },
});

const listText = (resources: readonly McpResource[]): string =>
  resources.length === 0 ? 'No resources.' : resources.map(line).join('\n');

const line = ({server, uri, name, description, mediaType}: McpResource): string =>
  [`${server}: ${uri}`, name, mediaType, description].filter(part => part !== '').join(' · ');
