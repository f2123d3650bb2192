import * as z from 'zod/mini';
import {clip, firstLine} from '../base/clip.ts';
import {ok} from '../base/outcome.ts';
import {blockId} from '../domain/ids.ts';
import {snapshotText} from './block-text.ts';
import {defineAction, text, toolForm} from './define-action.ts';
import {blockInputModes, type BlockInputMode, type BlockSnapshot} from './ports.ts';
import {nothingToShow} from './preview.ts';

export interface CommandWriteInput {
  readonly blockId: string;
  readonly input: string;
  readonly mode: BlockInputMode;
}

export interface CommandWriteOutput {
  readonly block: BlockSnapshot;
}

/** `running`: it may have been written. */
export interface CommandWriteCut {
  readonly blockId: string;
  readonly reached: 'not-started' | 'running';
}

export const writeToLongRunningShellCommand = defineAction<CommandWriteInput, CommandWriteOutput, CommandWriteCut>({
  summary: 'Write to a running command.',
  risk: 'unknown',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'BashInput',
      description: 'Type into a running block, then read what it shows.',
      schema: () =>
        z.object({
          block_id: z.string(),
          input: z.string(),
          mode: z.optional(
            z
              .enum(blockInputModes)
              .check(
                z.describe('line (default) adds Enter; raw sends keys as they are, \\u0003 is Ctrl-C; block pastes'),
              ),
          ),
        }),
      toInput: raw => ({blockId: raw.block_id, input: raw.input, mode: raw.mode ?? 'line'}),
    }),
  ],
  label: input => `Write to block ${firstLine(input.blockId, 40)}: ${inputText(input)}`,
  cancelled: input => ({blockId: input.blockId, reached: 'not-started'}),
  tell: output => text(snapshotText(output.block)),
  tellCut: cut => (cut.reached === 'running' ? `The input was sent; block ${cut.blockId} goes on.` : ''),
  build: {
    state: 'built',
    preview: async () => ok(nothingToShow),
    async run(input, {ports, signal}) {
      const {mode} = input;
      const written = await ports.blocks.write({id: blockId(input.blockId), input: input.input, mode}, signal);
      if (written.tag === 'failed') return {state: 'error', fault: written.error};
      if (!signal.aborted) return {state: 'success', output: {block: written.value}};
      const cut = {blockId: input.blockId, reached: 'running'} as const;
      return {state: 'cancelled', why: {reason: 'interrupted', message: ''}, cut};
    },
  },
});

/** Keys that nobody could see are shown as JSON writes them. */
const inputText = ({input, mode}: CommandWriteInput): string =>
  mode === 'raw' ? JSON.stringify(clip(input, 200)) : firstLine(input, 200);
