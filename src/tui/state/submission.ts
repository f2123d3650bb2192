import type {ReadImage} from '../../actions/files-port.ts';
import type {ScreenSize} from '../../actions/ports.ts';
import {answerOutcome, type AgentClient, type Op} from '../../agent/client.ts';
import type {Outcome} from '../../base/outcome.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Fault} from '../../domain/fault.ts';
import type {MessageId} from '../../domain/ids.ts';
import {userCommandLabel} from '../../domain/user-command.ts';
import type {QueuedPrompt} from './view.ts';

export interface Submission {
  readonly prompt: QueuedPrompt;
  readonly op: Op;
}

export function promptSubmission(
  id: MessageId,
  {words, images, when}: {readonly words: string; readonly images: readonly ReadImage[]} & Pick<PromptOp, 'when'>,
): Submission {
  const text = withChips(words, images);
  return {
    prompt: {id, text, when, typed: words, images},
    op: {op: 'prompt', id, text, images: images.map(({image}) => image), when},
  };
}

type PromptOp = Extract<Op, {readonly op: 'prompt'}>;

export const commandSubmission = (id: MessageId, command: string, size: ScreenSize): Submission => ({
  prompt: {id, text: userCommandLabel(command), when: 'command', typed: `!${command}`, images: []},
  op: {op: 'run-command', id, command, size},
});

/** Adds a note to the instructions file and to the agent's context. Resolves to the file's name. */
export async function submitNote(
  note: string,
  client: AgentClient,
  signal: AbortSignal,
): Promise<Outcome<string, Fault>> {
  const added = answerOutcome(await client.query({query: 'add-note', note}, signal));
  if (added.tag === 'ok')
    client.submit({op: 'add-context', text: `The user added this note to ${added.value}: ${note}`});
  return added;
}

/** The maximum number of images per prompt. At 5 MB each, they just fit into one request. */
export const maxImages = 5;

export const tooManyImages = `You can attach at most ${maxImages} images to a prompt.`;

/** Labels an attached image, above the composer and in the prompt: `[image shot.png 640x480]`. */
export function imageChip({name, width, height}: ReadImage): string {
  const size = width === 0 ? '' : ` ${width}x${height}`;
  return `[image ${visibleLine(name)}${size}]`;
}

const withChips = (text: string, images: readonly ReadImage[]): string =>
  [text, ...images.map(imageChip)].filter(line => line.trim() !== '').join('\n');
