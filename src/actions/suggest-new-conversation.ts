import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface NewConversationInput {
  readonly messageId: string;
}

export interface NewConversationOutput {
  readonly answer: 'accepted' | 'rejected';
}

export interface NewConversationCut {
  readonly messageId: string;
}

export const suggestNewConversation = defineAction<NewConversationInput, NewConversationOutput, NewConversationCut>({
  summary: 'Suggest to go on in a new conversation.',
  risk: 'read-only',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'SuggestNewConversation',
      description: 'Suggest to the user to go on in a new conversation.',
      schema: () => z.object({message_id: z.string()}),
      toInput: raw => ({messageId: raw.message_id}),
    }),
  ],
  label: () => 'Suggest a new conversation',
  cancelled: input => ({messageId: input.messageId}),
  tell: output => text(output.answer),
  tellCut: () => '',
  build: {state: 'declared'},
});
