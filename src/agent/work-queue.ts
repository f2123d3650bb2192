import type {MessageId} from '../domain/ids.ts';
import type {Cancellation} from '../domain/settled.ts';
import type {Op} from './client.ts';

/** What the engine does one after the other. `run` never rejects. */
type Work = WaitingPrompt | WaitingCommand | OtherWork;

export interface OtherWork {
  readonly kind: 'other';
  readonly run: () => Promise<void>;
  /** Called in the place of `run` where the work was dropped while it waited. */
  readonly dropped: () => void;
}

/** A command that the user typed. */
interface WaitingCommand {
  readonly kind: 'command';
  readonly id: MessageId;
  readonly run: () => Promise<void>;
}

/** Without secrets. */
export interface WaitingPrompt extends Omit<Extract<Op, {op: 'prompt'}>, 'op'> {
  readonly kind: 'prompt';
  /** `weft` where sub-agents in the background have ended, and the model is to hear of it. */
  readonly by: 'user' | 'weft';
}

/**
 * Does one piece of work after the other, in the order in which they came, except that steering prompts go ahead of those that
 * queue. Stops what runs when it is told to.
 */
export class WorkQueue {
  readonly #runPrompt: (prompt: WaitingPrompt) => Promise<void>;
  #waiting: Work[] = [];
  #current: Work | undefined;
  #working: Promise<void> | undefined;
  #abort = new AbortController();
  #stopReason: 'interrupted' | 'shutdown' = 'interrupted';

  /** `runPrompt` never rejects. */
  constructor(runPrompt: (prompt: WaitingPrompt) => Promise<void>) {
    this.#runPrompt = runPrompt;
  }

  add(work: Work): void {
    this.#waiting.push(work);
    // The work begins after this call: what a listener submits meanwhile finds that there is work, and waits.
    this.#working ??= Promise.resolve().then(() => this.#drain());
  }

  /** The signal of the work that runs now: it fires when that is to stop. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Why the work that runs now is being stopped, once its signal has fired. */
  cancellation(): Cancellation {
    return {reason: this.#stopReason, message: ''};
  }

  /** Whether a prompt runs or waits. */
  get hasPrompt(): boolean {
    return this.#current?.kind === 'prompt' || this.prompts.length > 0;
  }

  /** Whether the prompt of that id runs or waits. */
  holds(id: MessageId): boolean {
    const isCurrent = this.#current?.kind === 'prompt' && this.#current.id === id;
    return isCurrent || this.prompts.some(prompt => prompt.id === id);
  }

  /** The prompts that wait. */
  get prompts(): readonly WaitingPrompt[] {
    return this.#waiting.filter(work => work.kind === 'prompt');
  }

  /** The first prompt that is to join the running one and has no other work ahead of it; it goes on waiting. */
  get steering(): WaitingPrompt | undefined {
    for (const work of this.#waiting) {
      if (work.kind === 'other') return undefined;
      if (work.kind === 'prompt' && work.when === 'steering') return work;
    }
    return undefined;
  }

  /** Takes out the prompt or command; `undefined` where it does not wait. */
  take(id: MessageId): WaitingPrompt | WaitingCommand | undefined {
    const found = this.#submitted.find(work => work.id === id);
    if (found !== undefined) this.#remove(found);
    return found;
  }

  /** Takes out other work that is not wanted any more, where it still waits. */
  drop(work: OtherWork): void {
    if (!this.#waiting.includes(work)) return;
    this.#remove(work);
    work.dropped();
  }

  /** Stops what runs and drops what waits; answers with the prompts and commands among that. */
  stop(reason: 'interrupted' | 'shutdown'): readonly (WaitingPrompt | WaitingCommand)[] {
    this.#stopReason = reason;
    const waiting = this.#waiting;
    const dropped = this.#submitted;
    this.#waiting = [];
    for (const work of waiting) if (work.kind === 'other') work.dropped();
    this.#abort.abort();
    return dropped;
  }

  /** Settles when nothing runs and nothing waits. */
  async done(): Promise<void> {
    await this.#working;
  }

  async #drain(): Promise<void> {
    for (let work = this.#next(); work !== undefined; work = this.#next()) {
      this.#abort = new AbortController();
      this.#stopReason = 'interrupted';
      this.#current = work;
      await (work.kind === 'prompt' ? this.#runPrompt(work) : work.run());
    }
    this.#current = undefined;
    this.#working = undefined;
  }

  /** Takes out what is to be done next. */
  #next(): Work | undefined {
    const [first] = this.#waiting;
    const next = first?.kind === 'prompt' ? (this.steering ?? first) : first;
    if (next !== undefined) this.#remove(next);
    return next;
  }

  /** The prompts and commands that wait. */
  get #submitted(): readonly (WaitingPrompt | WaitingCommand)[] {
    return this.#waiting.filter(work => work.kind !== 'other');
  }

  #remove(work: Work): void {
    this.#waiting = this.#waiting.filter(one => one !== work);
  }
}
