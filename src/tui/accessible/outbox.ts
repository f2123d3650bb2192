import type {ReadImage} from '../../actions/image-port.ts';
import {unreachable} from '../../base/unreachable.ts';
import {faultText} from '../../domain/fault.ts';
import type {MessageId} from '../../domain/ids.ts';
import {meaningOf} from '../input/draft-meaning.ts';
import {handedCommand, handedPrompt, keepNote, mostImages, tooManyImages, type Handed} from '../input/handed.ts';
import type {TuiOptions} from '../options.ts';
import type {QueuedPrompt} from '../state/view.ts';

export interface OutboxHost {
  readonly options: TuiOptions;
  readonly signal: AbortSignal;
  /** Whether the agent has nothing to do. */
  idle(): boolean;
  queued(prompt: QueuedPrompt): void;
  /** Stands on the paper right above what comes of it. */
  typed(id: MessageId): void;
  say(...lines: readonly string[]): void;
}

/** What comes of a line that is no command and no answer: a prompt, a command of the user's own, a note; and images. */
export class Outbox {
  readonly #host: OutboxHost;
  #images: readonly ReadImage[] = [];

  constructor(host: OutboxHost) {
    this.#host = host;
  }

  enter(text: string): void {
    const {history} = this.#host.options;
    const meaning = meaningOf(text);
    switch (meaning.kind) {
      case 'prompt':
        history.add(text);
        this.send(text, 'steering');
        return;
      case 'shell':
        if (meaning.command === '') return;
        history.add(text);
        this.#hand(handedCommand(this.#host.options.newPromptId(), meaning.command));
        return;
      case 'note':
        history.add(text);
        void this.#note(meaning.note);
        return;
      default:
        unreachable(meaning);
    }
  }

  /** Hands a prompt to the engine. */
  send(words: string, when: 'queued' | 'steering'): void {
    const handed = handedPrompt(this.#host.options.newPromptId(), {words, images: this.#images, when});
    this.#images = [];
    if (this.#host.idle()) this.#host.typed(handed.prompt.id);
    else this.#host.say(when === 'queued' ? 'Waits until the agent is done.' : 'The agent reads it at its next step.');
    this.#hand(handed);
  }

  async attach(path: string): Promise<void> {
    const read = await this.#host.options.images.read(path, this.#host.signal);
    if (this.#images.length === mostImages) {
      this.#host.say(`Warning: ${tooManyImages}`);
      return;
    }
    if (read.tag === 'ok') this.#images = [...this.#images, read.value];
    this.#host.say(
      read.tag === 'ok'
        ? `The image ${read.value.name} goes with the next prompt.`
        : `Warning: ${faultText(read.error)}`,
    );
  }

  #hand({prompt, op}: Handed): void {
    this.#host.queued(prompt);
    this.#host.options.engine.submit(op);
  }

  async #note(note: string): Promise<void> {
    const added = await keepNote(note, this.#host.options);
    this.#host.say(added.tag === 'ok' ? `Remembered in ${added.value}.` : `Warning: ${faultText(added.error)}`);
  }
}
