import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface WebFetchInput {
  readonly url: string;
  readonly prompt: string;
}

export interface WebFetchOutput {
  readonly answer: string;
}

export interface WebFetchCut {
  readonly url: string;
}

export const webFetch = defineAction<WebFetchInput, WebFetchOutput, WebFetchCut>({
  summary: 'Fetch a page from the web.',
  risk: 'external',
  scheduling: 'parallel',
  tools: [
    toolForm({
      name: 'WebFetch',
      description: 'Fetch a page and answer a question about it.',
      schema: () => z.object({url: z.string(), prompt: z.string()}),
      toInput: raw => raw,
    }),
  ],
  label: input => `Fetch ${input.url}`,
  cancelled: input => ({url: input.url}),
  tell: output => text(output.answer),
  tellCut: () => '',
  build: {state: 'declared'},
});
