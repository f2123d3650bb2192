import * as z from 'zod/mini';
import {firstLine} from '../base/clip.ts';
import {rejected} from '../domain/fault.ts';
import {blockId} from '../domain/ids.ts';
import {blockText, isRunning, snapshotText} from './block-text.ts';
import {interrupted} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';
import type {BlockSnapshot, HandOverEnd} from './ports.ts';

/** `over`: the command had already ended, so the user was not asked. */
export interface HandOverOutput {
  readonly end: Exclude<HandOverEnd, 'unattended'> | 'over';
  readonly block: BlockSnapshot;
}

/** `running`: the user had the terminal, or was about to get it. */
export const transferShellCommandControlToUser = defineAction<
  {readonly blockId: string; readonly reason: string},
  HandOverOutput,
  {readonly blockId: string; readonly reached: 'not-started' | 'running'}
>({
  summary: 'Give the user the live terminal of a command.',
  ...needsNoPermission,
  offered: 'when-found',
  tools: [
    toolForm({
      name: 'BashHandOver',
      description: "Give the user a block's terminal (e.g. for a password) and wait until it comes back.",
      aliases: {bash_id: 'block_id', shell_id: 'block_id', task_id: 'block_id'},
      schema: () =>
        z.object({block_id: z.string(), reason: z.string().check(z.describe('What to do there, shown to the user'))}),
      toInput: raw => ({blockId: raw.block_id, reason: raw.reason}),
    }),
  ],
  label: input => `Hand over ${firstLine(input.blockId, 40)}: ${firstLine(input.reason, 200)}`,
  cancelled: input => ({blockId: input.blockId, reached: 'not-started'}),
  modelContent: output => textContent(`${snapshotText(output.block)}\n[${endTexts[output.end]}]`),
  partialText: partial =>
    partial.reached === 'running' ? `The hand-over was interrupted. Block ${partial.blockId} is still running.` : '',
  outcome: ({block}) => [blockText(block)],
  past: 'block',
  async run(input, {ports, signal}) {
    const id = blockId(input.blockId);
    const before = await ports.blocks.read({id, wait: 0}, signal);
    if (before.tag === 'failed') return {state: 'error', fault: before.error};
    if (!isRunning(before.value.state)) return {state: 'success', output: {end: 'over', block: before.value}};
    const end = await ports.handOvers.handOver({id, reason: input.reason}, signal);
    if (signal.aborted) {
      const partial = {blockId: input.blockId, reached: 'running'} as const;
      return interrupted(partial);
    }
    if (end === 'unattended')
      return {state: 'error', fault: rejected(`${handOverRefusal} Block ${id} is still running.`)};
    const after = await ports.blocks.read({id, wait: 0}, signal);
    if (after.tag === 'failed') return {state: 'error', fault: after.error};
    return {state: 'success', output: {end, block: after.value}};
  },
});

const handOverRefusal = 'No user is at a terminal here, so nothing can be handed over.';

const endTexts: Readonly<Record<HandOverOutput['end'], string>> = {
  detached: 'the user had the terminal and gave it back',
  ended: 'the user had the terminal; the command has ended',
  declined: 'the user did not take the terminal',
  over: 'the command had already ended; the user was not asked',
};
