import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface CodebaseSearchInput {
  readonly query: string;
  readonly pathFilters: readonly string[];
}

export interface CodebaseSearchOutput {
  readonly passages: readonly string[];
}

export interface CodebaseSearchCut {
  readonly query: string;
}

export const searchCodebase = defineAction<CodebaseSearchInput, CodebaseSearchOutput, CodebaseSearchCut>({
  summary: 'Search the codebase by meaning.',
  risk: 'read-only',
  scheduling: 'parallel',
  tools: [
    toolForm({
      name: 'SearchCodebase',
      description: 'Search the codebase by meaning.',
      schema: () => z.object({query: z.string(), path_filters: z.optional(z.array(z.string()))}),
      toInput: raw => ({query: raw.query, pathFilters: raw.path_filters ?? []}),
    }),
  ],
  label: input => `Search the codebase for ${input.query}`,
  cancelled: input => ({query: input.query}),
  tell: output => text(output.passages.join('\n\n')),
  tellCut: () => '',
  build: {state: 'declared'},
});
