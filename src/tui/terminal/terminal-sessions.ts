import {isRunning} from '../../actions/block-text.ts';
import type {BlockInfo, ScreenSize} from '../../actions/ports.ts';
import type {AgentClient} from '../../agent/client.ts';
import {faultText} from '../../domain/fault.ts';
import type {BlockId} from '../../domain/ids.ts';

export interface UserTerminal {
  readonly size: ScreenSize;
  /** Gets whole escape sequences, and only those that affect this screen, its keys and its mouse. */
  readonly show: (text: string) => void;
  /** Called when the terminal is detached, because the command ended or could not be attached to. */
  readonly left: (end: {readonly kind: 'ended'} | {readonly kind: 'refused'; readonly message: string}) => void;
}

export interface TerminalAttachment {
  write(keys: string): void;
  resize(size: ScreenSize): void;
  detach(): void;
}

/** The terminal sessions of the conversation, as the engine last reported them. */
export class TerminalSessions {
  readonly #client: AgentClient;
  readonly #now: () => number;
  #sessions: readonly BlockInfo[] = [];
  #reportedAt = 0;
  /** The sessions that the user has watched to their end, or watches. */
  readonly #watched = new Set<BlockId>();

  /** `now` returns milliseconds on a monotonic clock. */
  constructor(client: AgentClient, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /**
   * Follows the engine until `signal` aborts. Calls back after every change, with the commands that have ended since the last one
   * while the user was not attached to them.
   */
  follow(onChange: (ended: readonly BlockInfo[]) => void, signal: AbortSignal): void {
    void this.#client.watch(
      {watch: 'terminals'},
      sessions => {
        const ran = new Set(this.#sessions.flatMap(({id, state}) => (isRunning(state) ? [id] : [])));
        this.#sessions = sessions;
        this.#reportedAt = this.#now();
        onChange(sessions.filter(({id, state}) => ran.has(id) && !isRunning(state) && !this.#watched.has(id)));
      },
      signal,
    );
  }

  /** Returns the sessions in the order of their start, running ones first. */
  list(): readonly BlockInfo[] {
    const since = this.#now() - this.#reportedAt;
    return this.#sessions.map(session => ({...session, ageMs: session.ageMs + since}));
  }

  attach(id: BlockId, {size, show, left}: UserTerminal): TerminalAttachment {
    const detached = new AbortController();
    const request = {watch: 'attach-terminal', id, size} as const;
    const waitForEnd = async (): Promise<void> => {
      const end = await this.#client.watch(request, show, detached.signal);
      if (detached.signal.aborted) return;
      left(end.tag === 'failed' ? {kind: 'refused', message: faultText(end.error)} : {kind: 'ended'});
    };
    void waitForEnd();
    this.#watched.add(id);
    return {
      write: keys => this.#client.submit({op: 'write-terminal', id, keys}),
      resize: to => this.#client.submit({op: 'resize-terminal', id, size: to}),
      detach: () => {
        detached.abort();
        const state = this.#sessions.find(session => session.id === id)?.state;
        if (state !== undefined && isRunning(state)) this.#watched.delete(id);
      },
    };
  }
}
