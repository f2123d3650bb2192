import type {ReadImage} from '../../actions/image-port.ts';
import type {Engine, Op} from '../../agent/engine.ts';
import type {Outcome} from '../../base/outcome.ts';
import type {Fault} from '../../domain/fault.ts';
import type {MessageId} from '../../domain/ids.ts';
import {userCommandLabel} from '../../domain/user-command.ts';
import type {NotePort} from '../options.ts';
import type {QueuedPrompt} from '../state/view.ts';
import {withChips} from './attached-images.ts';

/** What the user hands to the engine: as it waits on screen, and as the engine is asked. */
export interface Handed {
  readonly prompt: QueuedPrompt;
  readonly op: Op;
}

export function handedPrompt(
  id: MessageId,
  {words, images, when}: {readonly words: string; readonly images: readonly ReadImage[]} & Pick<Queued, 'when'>,
): Handed {
  const text = withChips(words, images);
  return {
    prompt: {id, text, when, typed: words, images},
    op: {op: 'prompt', id, text, images: images.map(({image}) => image), when},
  };
}

type Queued = Extract<Op, {readonly op: 'prompt'}>;

/** A command of the user's own. */
export const handedCommand = (id: MessageId, command: string): Handed => ({
  prompt: {id, text: userCommandLabel(command), when: 'command', typed: `!${command}`, images: []},
  op: {op: 'run-command', id, command},
});

/** Keeps a note in the standing instructions, and tells the agent of it; answers with the name of the file. */
export async function keepNote(
  note: string,
  {notes, engine}: {readonly notes: NotePort; readonly engine: Engine},
): Promise<Outcome<string, Fault>> {
  const added = await notes.add(note);
  if (added.tag === 'ok') engine.submit({op: 'learn', text: `The user added this note to ${added.value}: ${note}`});
  return added;
}

/** Of one prompt: with 5 MB each, what one request may hold. */
export const mostImages = 5;

export const tooManyImages = `A prompt takes at most ${mostImages} images.`;
