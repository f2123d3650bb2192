import * as z from 'zod/mini';
import {firstLine} from '../base/clip.ts';
import {blockId} from '../domain/ids.ts';
import {blockText, snapshotText} from './block-text.ts';
import {interrupted} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';
import type {BlockSnapshot} from './ports.ts';

export interface CommandReadInput {
  readonly blockId: string;
  /** Seconds to wait, or `completion` to wait for the end of the command. */
  readonly delay: number | 'completion';
}

/** `running`: the wait was interrupted, but the block still runs. */
export const readShellCommandOutput = defineAction<
  CommandReadInput,
  {readonly block: BlockSnapshot},
  {readonly blockId: string; readonly reached: 'not-started' | 'running'}
>({
  summary: 'Read what a running command has printed.',
  ...needsNoPermission,
  offered: 'always',
  tools: [
    toolForm({
      name: 'BashOutput',
      description: "Read a block's screen and its output since the last read.",
      aliases: {bash_id: 'block_id', shell_id: 'block_id', task_id: 'block_id'},
      schema: () =>
        z.object({
          block_id: z.string(),
          delay: z.optional(
            z
              .union([z.number().check(z.gte(0)), z.literal('completion')])
              .check(z.describe('Seconds to wait at most (up to 600), unless it ends or asks for input')),
          ),
        }),
      toInput: raw => ({blockId: raw.block_id, delay: raw.delay ?? 0}),
    }),
  ],
  label: input => `Read output of ${firstLine(input.blockId, 40)}`,
  cancelled: input => ({blockId: input.blockId, reached: 'not-started'}),
  modelContent: output => textContent(snapshotText(output.block)),
  partialText: partial => (partial.reached === 'running' ? `Block ${partial.blockId} is still running.` : ''),
  outcome: ({block}) => [blockText(block)],
  past: 'block',
  async run(input, {ports, signal}) {
    const read = await ports.blocks.read({id: blockId(input.blockId), wait: input.delay}, signal);
    if (read.tag === 'failed') return {state: 'error', fault: read.error};
    if (!signal.aborted) return {state: 'success', output: {block: read.value}};
    const partial = {blockId: input.blockId, reached: 'running'} as const;
    return interrupted(partial);
  },
});
