import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface HandOverInput {
  readonly blockId: string;
  readonly reason: string;
}

export interface HandOverOutput {
  readonly screen: string;
}

export interface HandOverCut {
  readonly blockId: string;
}

export const transferShellCommandControlToUser = defineAction<HandOverInput, HandOverOutput, HandOverCut>({
  summary: 'Give the user the live terminal of a command.',
  risk: 'read-only',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'BashHandOver',
      description: 'Give the user the terminal of a running command.',
      schema: () => z.object({block_id: z.string(), reason: z.string()}),
      toInput: raw => ({blockId: raw.block_id, reason: raw.reason}),
    }),
  ],
  label: input => `Hand over command ${input.blockId}: ${input.reason}`,
  cancelled: input => ({blockId: input.blockId}),
  tell: output => text(output.screen),
  tellCut: () => '',
  build: {state: 'declared'},
});
