import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface ConversationFetchInput {
  readonly conversationId: string;
}

export interface ConversationFetchOutput {
  readonly directory: string;
}

export interface ConversationFetchCut {
  readonly conversationId: string;
}

export const fetchConversation = defineAction<ConversationFetchInput, ConversationFetchOutput, ConversationFetchCut>({
  summary: 'Fetch another conversation as files.',
  risk: 'read-only',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'FetchConversation',
      description: 'Fetch another conversation as files.',
      schema: () => z.object({conversation_id: z.string()}),
      toInput: raw => ({conversationId: raw.conversation_id}),
    }),
  ],
  label: input => `Fetch conversation ${input.conversationId}`,
  cancelled: input => ({conversationId: input.conversationId}),
  tell: output => text(output.directory),
  tellCut: () => '',
  build: {state: 'declared'},
});
