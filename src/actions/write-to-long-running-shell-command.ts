import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface CommandWriteInput {
  readonly blockId: string;
  readonly input: string;
  readonly mode: 'raw' | 'line' | 'block';
}

export interface CommandWriteOutput {
  readonly screen: string;
}

export interface CommandWriteCut {
  readonly blockId: string;
}

export const writeToLongRunningShellCommand = defineAction<CommandWriteInput, CommandWriteOutput, CommandWriteCut>({
  summary: 'Write to a running command.',
  risk: 'unknown',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'BashInput',
      description: 'Write input to a running command block.',
      schema: () => z.object({block_id: z.string(), input: z.string(), mode: z.enum(['raw', 'line', 'block'])}),
      toInput: raw => ({blockId: raw.block_id, input: raw.input, mode: raw.mode}),
    }),
  ],
  label: input => `Write to command ${input.blockId}`,
  cancelled: input => ({blockId: input.blockId}),
  tell: output => text(output.screen),
  tellCut: () => '',
  build: {state: 'declared'},
});
