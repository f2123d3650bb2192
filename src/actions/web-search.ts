import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface WebSearchInput {
  readonly query: string;
}

export interface WebSearchOutput {
  readonly results: readonly string[];
}

export interface WebSearchCut {
  readonly query: string;
}

export const webSearch = defineAction<WebSearchInput, WebSearchOutput, WebSearchCut>({
  summary: 'Search the web.',
  risk: 'external',
  scheduling: 'parallel',
  tools: [
    toolForm({
      name: 'WebSearch',
      description: 'Search the web.',
      schema: () => z.object({query: z.string()}),
      toInput: raw => raw,
    }),
  ],
  label: input => `Search the web for ${input.query}`,
  cancelled: input => ({query: input.query}),
  tell: output => text(output.results.join('\n')),
  tellCut: () => '',
  build: {state: 'declared'},
});
