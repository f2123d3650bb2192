import type {MessageId} from '../domain/ids.ts';
import type {Cancellation} from '../domain/settled.ts';
import type {Op} from './client.ts';

/** A piece of work for the engine, which does one after the other. `run` never rejects. */
type Work = WaitingPrompt | WaitingCommand | OtherWork;

export interface OtherWork {
  readonly kind: 'other';
  readonly run: () => Promise<void>;
  /** Called instead of `run` if the work was dropped while it waited. */
  readonly onDropped: () => void;
}

/** A command that the user typed. */
interface WaitingCommand {
  readonly kind: 'command';
  readonly id: MessageId;
  readonly run: () => Promise<void>;
}

/** A waiting prompt, without secrets. */
export interface WaitingPrompt extends Omit<Extract<Op, {op: 'prompt'}>, 'op'> {
  readonly kind: 'prompt';
  /** `weft`: a prompt that tells the model about background sub-agents that have ended. */
  readonly by: 'user' | 'weft';
}

/**
 * Runs one piece of work after the other, in order of arrival, except that steering prompts go before queued ones.
 * Stops the running work on request.
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
    // The work begins after this call returns, so prompts that a listener submits before then wait their turn.
    this.#working ??= Promise.resolve().then(() => this.#drain());
  }

  /** The signal of the running work. Fires to stop it. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Returns why the running work is being stopped, once its signal has fired. */
  cancellation(): Cancellation {
    return {reason: this.#stopReason, message: ''};
  }

  /** True if a prompt runs or waits. */
  get hasPrompt(): boolean {
    return this.#current?.kind === 'prompt' || this.prompts.length > 0;
  }

  /** True if the prompt with that id runs or waits. */
  holds(id: MessageId): boolean {
    const isCurrent = this.#current?.kind === 'prompt' && this.#current.id === id;
    return isCurrent || this.prompts.some(prompt => prompt.id === id);
  }

  /** The waiting prompts. */
  get prompts(): readonly WaitingPrompt[] {
    return this.#waiting.filter(work => work.kind === 'prompt');
  }

  /** The first prompt that is to join the running one and has no other work ahead of it. It stays in the queue. */
  get steering(): WaitingPrompt | undefined {
    for (const work of this.#waiting) {
      if (work.kind === 'other') return undefined;
      if (work.kind === 'prompt' && work.when === 'steering') return work;
    }
    return undefined;
  }

  /** Removes a waiting prompt or command. Returns `undefined` if it isn't waiting. */
  take(id: MessageId): WaitingPrompt | WaitingCommand | undefined {
    const found = this.#submitted.find(work => work.id === id);
    if (found !== undefined) this.#remove(found);
    return found;
  }

  /** Drops other work that is no longer wanted, if it still waits. */
  drop(work: OtherWork): void {
    if (!this.#waiting.includes(work)) return;
    this.#remove(work);
    work.onDropped();
  }

  /** Stops the running work and drops what waits. Returns the dropped prompts and commands. */
  stop(reason: 'interrupted' | 'shutdown'): readonly (WaitingPrompt | WaitingCommand)[] {
    this.#stopReason = reason;
    const waiting = this.#waiting;
    const dropped = this.#submitted;
    this.#waiting = [];
    for (const work of waiting) if (work.kind === 'other') work.onDropped();
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

  /** Removes and returns the next work. */
  #next(): Work | undefined {
    const [first] = this.#waiting;
    const next = first?.kind === 'prompt' ? (this.steering ?? first) : first;
    if (next !== undefined) this.#remove(next);
    return next;
  }

  /** The waiting prompts and commands. */
  get #submitted(): readonly (WaitingPrompt | WaitingCommand)[] {
    return this.#waiting.filter(work => work.kind !== 'other');
  }

  #remove(work: Work): void {
    this.#waiting = this.#waiting.filter(one => one !== work);
  }
}
