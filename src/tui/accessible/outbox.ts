import type {ReadImage} from '../../actions/image-port.ts';
import {unreachable} from '../../base/unreachable.ts';
import {faultText} from '../../domain/fault.ts';
import type {MessageId} from '../../domain/ids.ts';
import {userCommandLabel} from '../../domain/user-command.ts';
import {withChips} from '../input/attached-images.ts';
import {meaningOf} from '../input/draft-meaning.ts';
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
        this.#run(meaning.command);
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
    const {options} = this.#host;
    const id = options.newPromptId();
    const images = this.#images;
    const text = withChips(words, images);
    this.#images = [];
    if (this.#host.idle()) this.#host.typed(id);
    else this.#host.say(when === 'queued' ? 'Waits until the agent is done.' : 'The agent reads it at its next step.');
    this.#host.queued({id, text, when, typed: words, images});
    options.engine.submit({op: 'prompt', id, text, images: images.map(({image}) => image), when});
  }

  async attach(path: string): Promise<void> {
    const read = await this.#host.options.images.read(path, this.#host.signal);
    if (read.tag === 'ok') this.#images = [...this.#images, read.value];
    this.#host.say(
      read.tag === 'ok'
        ? `The image ${read.value.name} goes with the next prompt.`
        : `Warning: ${faultText(read.error)}`,
    );
  }

  #run(command: string): void {
    const {options} = this.#host;
    const id = options.newPromptId();
    this.#host.queued({id, text: userCommandLabel(command), when: 'command', typed: `!${command}`, images: []});
    options.engine.submit({op: 'run-command', id, command});
  }

  async #note(note: string): Promise<void> {
    const {engine, notes} = this.#host.options;
    const added = await notes.add(note);
    if (added.tag === 'ok') engine.submit({op: 'learn', text: `The user added this note to ${added.value}: ${note}`});
    this.#host.say(added.tag === 'ok' ? `Remembered in ${added.value}.` : `Warning: ${faultText(added.error)}`);
  }
}
