import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface PromptSuggestionInput {
  readonly prompt: string;
  readonly label: string;
}

export interface PromptSuggestionOutput {
  readonly prompt: string;
}

export interface PromptSuggestionCut {
  readonly prompt: string;
}

export const suggestPrompt = defineAction<PromptSuggestionInput, PromptSuggestionOutput, PromptSuggestionCut>({
  summary: 'Suggest a next prompt.',
  risk: 'read-only',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'SuggestPrompt',
      description: 'Suggest a next prompt to the user.',
      schema: () => z.object({prompt: z.string(), label: z.optional(z.string())}),
      toInput: raw => ({prompt: raw.prompt, label: raw.label ?? ''}),
    }),
  ],
  label: input => `Suggest: ${input.prompt}`,
  cancelled: input => ({prompt: input.prompt}),
  tell: output => text(`accepted: ${output.prompt}`),
  tellCut: () => '',
  build: {state: 'declared'},
});
