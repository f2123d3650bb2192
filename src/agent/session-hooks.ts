import type {Happening, SessionStartSource} from '../actions/hooks-port.ts';
import {raceAbort} from '../base/race.ts';
import {reminderBlock} from '../domain/reminder.ts';
import {PromptHooks} from './prompt-hooks.ts';
import type {SessionContext} from './session-context.ts';

/** Milliseconds that hooks get at the end of a session: the user waits for it. */
const endMs = 5000;

/** The hooks of a session's beginning and end. */
export class SessionHooks {
  readonly #session: SessionContext;
  #beginning: {readonly context: Promise<string>; readonly stop: AbortController} | undefined;

  constructor(session: SessionContext) {
    this.#session = session;
  }

  /** Calls the hooks; the first prompt waits for them. */
  begin(source: SessionStartSource): void {
    this.#beginning?.stop.abort();
    const stop = new AbortController();
    this.#beginning = {context: this.#hooks().atSessionStart(source, stop.signal), stop};
  }

  /** Settles when the hooks of the beginning have answered, or the signal fires; what they say joins the next prompt. */
  async begun(signal: AbortSignal): Promise<void> {
    const beginning = this.#beginning;
    if (beginning === undefined) return;
    const context = await raceAbort(beginning.context, signal);
    if (context === 'aborted') beginning.stop.abort();
    else if (context !== '') this.#session.addedContext.push(reminderBlock(context));
    if (this.#beginning === beginning) this.#beginning = undefined;
  }

  async end(reason: Extract<Happening, {event: 'SessionEnd'}>['reason']): Promise<void> {
    this.#beginning?.stop.abort();
    this.#beginning = undefined;
    await this.#hooks().happened({event: 'SessionEnd', reason}, AbortSignal.timeout(endMs));
  }

  #hooks(): PromptHooks {
    return new PromptHooks(this.#session.ports.hooks, this.#session.publish);
  }
}
