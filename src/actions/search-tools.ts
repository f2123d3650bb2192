import * as z from 'zod/mini';
import {interrupted} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';
import type {FoundTool} from './ports.ts';

export interface SearchToolsInput {
  readonly query: string;
  readonly limit: number;
}

export interface SearchToolsOutput {
  readonly found: readonly FoundTool[];
  /** The number of tools that were searched. */
  readonly total: number;
}

/** The beginning of a query that calls a tool. Providers need no definition of such a tool, and their caches stay valid. */
export const callQuery = 'call:';

/** True if a query for ToolSearch calls a tool. */
export const isCallQuery = (query: unknown): query is string =>
  typeof query === 'string' && query.trimStart().startsWith(callQuery);

const callText = (name: string): string => `ToolSearch with the query: ${callQuery}${name} {"field": "value"}`;

/** Tools that a search by words returns by default. */
const defaultLimit = 5;
/** Tools that any search returns at most. */
const maxFound = 20;

/** Finds tools that are not in the request: those of MCP servers that would take too much context, and weft's own rarely used tools. */
export const searchTools = defineAction<SearchToolsInput, SearchToolsOutput, undefined>({
  summary: 'Find tools that are not in the request.',
  ...needsNoPermission,
  scheduling: 'parallel',
  offered: 'more-tools',
  tools: [
    toolForm({
      name: 'ToolSearch',
      description: 'Find more tools by words, or by name with "select:NAME,NAME"; call them from your next answer on.',
      aliases: {limit: 'max_results'},
      unlistedFields: ['max_results'],
      schema: () =>
        z.object({query: z.string(), max_results: z.optional(z.int().check(z.minimum(1), z.maximum(maxFound)))}),
      // A query by name wants all the tools it names.
      toInput: ({query, max_results}): SearchToolsInput => ({
        query,
        limit: max_results ?? (query.trim().startsWith('select:') ? maxFound : defaultLimit),
      }),
    }),
  ],
  label: ({query}) => `Search tools: ${query}`,
  cancelled: () => undefined,
  modelContent: ({found, total}) =>
    found.length === 0
      ? textContent(`No tool matches. There are ${total} tools to search; try other words.`)
      : found.map(({name, description, inputSchema}) => ({
          kind: 'text',
          text: JSON.stringify({name, description, input_schema: inputSchema, call: callText(name)}),
          foundTool: name,
        })),
  outcome: ({found}) => [found.length === 0 ? 'none found' : found.map(({name}) => name).join(', ')],
  async run({query, limit}, {ports, signal}) {
    const output = await ports.tools.search({query, limit}, signal);
    return signal.aborted ? interrupted(undefined) : {state: 'success', output};
  },
});
