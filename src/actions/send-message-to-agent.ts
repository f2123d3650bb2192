import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface AgentMessageInput {
  readonly addresses: readonly string[];
  readonly subject: string;
  readonly message: string;
}

export interface AgentMessageOutput {
  readonly messageId: string;
}

export interface AgentMessageCut {
  readonly addresses: readonly string[];
}

export const sendMessageToAgent = defineAction<AgentMessageInput, AgentMessageOutput, AgentMessageCut>({
  summary: 'Send a message to other agents.',
  risk: 'read-only',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'SendMessage',
      description: 'Send a message to other agents.',
      schema: () => z.object({addresses: z.array(z.string()), subject: z.string(), message: z.string()}),
      toInput: raw => raw,
    }),
  ],
  label: input => `Send message: ${input.subject}`,
  cancelled: input => ({addresses: input.addresses}),
  tell: output => text(output.messageId),
  tellCut: () => '',
  build: {state: 'declared'},
});
