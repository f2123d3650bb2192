import type {ImageBlock} from '../domain/conversation.ts';
import type {MessageId} from '../domain/ids.ts';

/** What the engine does one after the other. `run` never rejects. */
export type Work = WaitingPrompt | WaitingCommand | {readonly kind: 'other'; readonly run: () => Promise<void>};

/** A command of the user's own. */
export interface WaitingCommand {
  readonly kind: 'command';
  readonly id: MessageId;
  readonly run: () => Promise<void>;
}

export interface WaitingPrompt {
  readonly kind: 'prompt';
  readonly id: MessageId;
  /** Without secrets. */
  readonly text: string;
  readonly images: readonly ImageBlock[];
  readonly when: 'queued' | 'steering';
}

/** What waits for its turn, in the order in which it came, but that prompts which were to steer go ahead of those that queue. */
export class WorkQueue {
  #waiting: Work[] = [];

  add(work: Work): void {
    this.#waiting.push(work);
  }

  /** The next to be done, which waits no longer. */
  next(): Work | undefined {
    const [first] = this.#waiting;
    if (first?.kind !== 'prompt') return this.#waiting.shift();
    const next = this.steering ?? first;
    this.#remove(next);
    return next;
  }

  /** The first prompt that is to join the running one and has no other work ahead of it; it goes on waiting. */
  get steering(): WaitingPrompt | undefined {
    for (const work of this.#waiting) {
      if (work.kind === 'other') return undefined;
      if (work.kind === 'prompt' && work.when === 'steering') return work;
    }
    return undefined;
  }

  get prompts(): readonly WaitingPrompt[] {
    return this.#waiting.filter(work => work.kind === 'prompt');
  }

  /** Takes out the prompt or command; `undefined` where it does not wait. */
  take(id: MessageId): WaitingPrompt | WaitingCommand | undefined {
    const found = this.#typed.find(work => work.id === id);
    if (found !== undefined) this.#remove(found);
    return found;
  }

  /** Drops everything, and answers with the prompts and commands among it. */
  clear(): readonly (WaitingPrompt | WaitingCommand)[] {
    const dropped = this.#typed;
    this.#waiting = [];
    return dropped;
  }

  /** What the user has typed. */
  get #typed(): readonly (WaitingPrompt | WaitingCommand)[] {
    return this.#waiting.filter(work => work.kind !== 'other');
  }

  #remove(work: Work): void {
    this.#waiting = this.#waiting.filter(one => one !== work);
  }
}
