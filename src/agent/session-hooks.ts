import type {HookNotification, SessionStartSource} from '../actions/hooks-port.ts';
import {raceAbort} from '../base/race.ts';
import {reminderBlock} from '../domain/reminder.ts';
import {PromptHooks} from './prompt-hooks.ts';
import type {SessionContext} from './session-context.ts';

/** Milliseconds for hooks at the end of a session, because the user waits for it. */
const endTimeoutMs = 5000;

/** Milliseconds without a prompt after which idle hooks run, as in Claude Code. */
const idleMs = 60_000;

/** The hooks for the start and end of a session, and for idle time. */
export class SessionHooks {
  readonly #session: SessionContext;
  #idle: NodeJS.Timeout | undefined;
  #beginning: {readonly context: Promise<string>; readonly stop: AbortController} | undefined;

  constructor(session: SessionContext) {
    this.#session = session;
  }

  /** Calls the start hooks. The first prompt waits for them. */
  begin(source: SessionStartSource): void {
    this.#beginning?.stop.abort();
    const stop = new AbortController();
    this.#beginning = {context: this.#hooks().atSessionStart(source, stop.signal), stop};
  }

  /** Settles when the start hooks have answered, or the signal fires. Their context joins the next prompt. */
  async awaitStart(signal: AbortSignal): Promise<void> {
    const beginning = this.#beginning;
    if (beginning === undefined) return;
    const context = await raceAbort(beginning.context, signal);
    if (context === 'aborted') beginning.stop.abort();
    else if (context !== '') this.#session.addedContext.push(reminderBlock(context));
    if (this.#beginning === beginning) this.#beginning = undefined;
  }

  /** Starts the idle timer. */
  startIdleTimer(): void {
    this.stopIdleTimer();
    this.#idle = setTimeout(() => {
      const message = 'weft is waiting for your input';
      void this.#hooks().notify({event: 'Notification', type: 'idle_prompt', message}, new AbortController().signal);
    }, idleMs).unref();
  }

  stopIdleTimer(): void {
    clearTimeout(this.#idle);
  }

  async end(reason: Extract<HookNotification, {event: 'SessionEnd'}>['reason']): Promise<void> {
    this.stopIdleTimer();
    this.#beginning?.stop.abort();
    this.#beginning = undefined;
    await this.#hooks().notify({event: 'SessionEnd', reason}, AbortSignal.timeout(endTimeoutMs));
  }

  #hooks(): PromptHooks {
    return new PromptHooks(this.#session.ports.hooks, this.#session.publish);
  }
}
