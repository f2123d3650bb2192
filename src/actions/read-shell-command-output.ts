import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface CommandReadInput {
  readonly blockId: string;
  /** Seconds to wait, or until the command ends. */
  readonly delay: number | 'completion';
}

export interface CommandReadOutput {
  readonly screen: string;
}

export interface CommandReadCut {
  readonly blockId: string;
}

export const readShellCommandOutput = defineAction<CommandReadInput, CommandReadOutput, CommandReadCut>({
  summary: 'Read what a running command has printed.',
  risk: 'read-only',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'BashOutput',
      description: 'Read the output of a running command block.',
      schema: () => z.object({block_id: z.string(), delay: z.optional(z.union([z.number(), z.literal('completion')]))}),
      toInput: raw => ({blockId: raw.block_id, delay: raw.delay ?? 0}),
    }),
  ],
  label: input => `Read output of command ${input.blockId}`,
  cancelled: input => ({blockId: input.blockId}),
  tell: output => text(output.screen),
  tellCut: () => '',
  build: {state: 'declared'},
});
