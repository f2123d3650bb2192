import * as z from 'zod/mini';
import {clip, firstLine} from '../base/clip.ts';
import {failed, ok, type Outcome, tryOr} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';
import {blockId} from '../domain/ids.ts';
import {blockStateText, blockText, isRunning, snapshotText} from './block-text.ts';
import {interrupted} from '../domain/settled.ts';
import {checkedForm, defineAction, textContent, toolForm} from './define-action.ts';
import type {BlockSnapshot} from './ports.ts';
import {blockInputModes, type BlockInputMode} from '../domain/access.ts';
import {emptyPreview} from './preview.ts';

export interface CommandWriteInput {
  readonly blockId: string;
  /** The name of the program that runs there. Empty if unknown. */
  readonly program: string;
  readonly input: string;
  readonly mode: BlockInputMode;
}

/** `running`: the input may have been written. */
export const writeToLongRunningShellCommand = defineAction<
  CommandWriteInput,
  {readonly block: BlockSnapshot},
  {readonly blockId: string; readonly reached: 'not-started' | 'running'}
>({
  summary: 'Write to a running command.',
  risk: 'unknown',
  offered: 'always',
  access: input => ({kind: 'terminal-input', ...input}),
  asks: [{name: 'command-input', risks: ['unknown'], askedWhen: 'always: it types into a running program'}],
  tools: [
    checkedForm(
      toolForm({
        name: 'BashInput',
        description: 'Type into a running block, then read its screen.',
        aliases: {bash_id: 'block_id', shell_id: 'block_id', task_id: 'block_id', input_bytes: 'input_base64'},
        unlistedFields: ['input_base64'],
        expectedFields: ['block_id', 'input'],
        schema: () =>
          z.object({
            block_id: z.string(),
            input: z.optional(z.string()),
            // The bytes of a text in UTF-8.
            input_base64: z.optional(z.base64()),
            mode: z.optional(
              z
                .enum(blockInputModes)
                .check(
                  z.describe('line (default) adds Enter; raw sends keys as they are, \\u0003 is Ctrl-C; block pastes'),
                ),
            ),
          }),
        toInput: raw => raw,
      }),
      ({block_id, input, input_base64: base64, mode}): Outcome<CommandWriteInput, string> => {
        if ((input === undefined) === (base64 === undefined)) return failed('give either input or input_base64');
        const text = input ?? textOfBytes(Buffer.from(base64 ?? '', 'base64'));
        if (text === undefined) return failed('input_base64 is not a text in UTF-8');
        // Bytes are sent as they are.
        return ok({blockId: block_id, program: '', input: text, mode: mode ?? (base64 === undefined ? 'line' : 'raw')});
      },
    ),
  ],
  label: input => `Type into ${firstLine(input.program || input.blockId, 40)}: ${inputText(input)}`,
  cancelled: input => ({blockId: input.blockId, reached: 'not-started'}),
  modelContent: output => textContent(snapshotText(output.block)),
  partialText: partial =>
    partial.reached === 'running' ? `The input was sent. Block ${partial.blockId} is still running.` : '',
  outcome: ({block}) => [blockText(block)],
  past: 'block',
  // Fails at once if the block is gone, so that the user is not asked about input that nothing can read.
  async preview(input, {ports}) {
    const found = ports.blocks.find(blockId(input.blockId));
    if (found.tag === 'failed') return failed({state: 'error', fault: found.error});
    const {state, input: open} = found.value;
    if (isRunning(state) && open === 'open') return ok(emptyPreview);
    const why = isRunning(state) ? 'has no open input' : `has ended (${blockStateText(state)})`;
    return failed({state: 'error', fault: rejected(`Nothing was typed: block ${input.blockId} ${why}.`)});
  },
  async run(input, {ports, signal}) {
    const {mode} = input;
    const written = await ports.blocks.write({id: blockId(input.blockId), input: input.input, mode}, signal);
    if (written.tag === 'failed') return {state: 'error', fault: written.error};
    if (!signal.aborted) return {state: 'success', output: {block: written.value}};
    const partial = {blockId: input.blockId, reached: 'running'} as const;
    return interrupted(partial);
  },
});

const textOfBytes = (bytes: Uint8Array): string | undefined =>
  tryOr(() => new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes), undefined);

/** Shows invisible keys as JSON escapes. */
const inputText = ({input, mode}: CommandWriteInput): string =>
  mode === 'raw' ? JSON.stringify(clip(input, 200)) : firstLine(input, 200);
