import type {MessageId} from '../domain/ids.ts';
import type {Cancellation} from '../domain/settled.ts';
import {WorkQueue, type WaitingCommand, type WaitingPrompt, type Work} from './work-queue.ts';

/** Does what there is to do, one after the other, and stops what runs when it is told to. */
export class WorkRunner {
  readonly queue = new WorkQueue();
  readonly #runPrompt: (prompt: WaitingPrompt) => Promise<void>;
  #current: Work | undefined;
  #working: Promise<void> | undefined;
  #abort = new AbortController();
  #stopReason: 'interrupted' | 'shutdown' = 'interrupted';

  /** `runPrompt` never rejects. */
  constructor(runPrompt: (prompt: WaitingPrompt) => Promise<void>) {
    this.#runPrompt = runPrompt;
  }

  add(work: Work): void {
    this.queue.add(work);
    // Work begins after this, so that what a listener submits meanwhile finds that there is work and waits.
    this.#working ??= Promise.resolve().then(() => this.#drain());
  }

  /** Of what runs: fires when that is to stop. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Why what runs is being stopped, once its signal has fired. */
  whyStopped(): Cancellation {
    return {reason: this.#stopReason, message: ''};
  }

  /** Whether a prompt runs or waits. */
  get hasPrompt(): boolean {
    return this.#current?.kind === 'prompt' || this.queue.prompts.length > 0;
  }

  /** Whether the prompt of that id runs or waits. */
  holds(id: MessageId): boolean {
    const isCurrent = this.#current?.kind === 'prompt' && this.#current.id === id;
    return isCurrent || this.queue.prompts.some(prompt => prompt.id === id);
  }

  /** Stops what runs and drops what waits; answers with the prompts and commands among that. */
  stop(reason: 'interrupted' | 'shutdown'): readonly (WaitingPrompt | WaitingCommand)[] {
    this.#stopReason = reason;
    const dropped = this.queue.clear();
    this.#abort.abort();
    return dropped;
  }

  /** Settles when nothing runs and nothing waits. */
  async done(): Promise<void> {
    await this.#working;
  }

  async #drain(): Promise<void> {
    for (let work = this.queue.next(); work !== undefined; work = this.queue.next()) {
      this.#abort = new AbortController();
      this.#stopReason = 'interrupted';
      this.#current = work;
      await (work.kind === 'prompt' ? this.#runPrompt(work) : work.run());
    }
    this.#current = undefined;
    this.#working = undefined;
  }
}
