import type {AgentEvent} from '../../actions/agent-event.ts';
import type {ActionId} from '../../domain/ids.ts';
import {knownCost} from '../../domain/usage.ts';
import type {ActionProgress, RunTimes} from '../views/progress.ts';

/** With these, what runs has begun or is over. */
const begins: ReadonlySet<AgentEvent['event']> = new Set(['prompt-accepted', 'command-started', 'compaction-begun']);
const ends: ReadonlySet<AgentEvent['event']> = new Set([
  'prompt-finished',
  'command-finished',
  'compaction-previewed',
  'compaction-refused',
  'session-opened',
]);

interface Started {
  readonly at: number;
  readonly lines: number;
}

/** Times what runs, which the fold of events knows nothing of. All times are milliseconds, from any start. */
export class RunClock {
  readonly #now: () => number;
  #since: number | undefined;
  #retryAt = 0;
  /** Of prompts that are over. */
  #workedMs = 0;
  /** What the session had cost before this run of weft. */
  #costBefore = 0;
  #cost = 0;
  readonly #running = new Map<ActionId, Started>();

  constructor(now: () => number) {
    this.#now = now;
  }

  follow(event: AgentEvent): void {
    if (begins.has(event.event)) this.#since ??= this.#now();
    if (ends.has(event.event)) this.#settle();
    switch (event.event) {
      case 'session-opened':
        this.#workedMs = 0;
        this.#cost = knownCost(Object.values(event.usage.models)) ?? 0;
        this.#costBefore = this.#cost;
        return;
      case 'usage-changed':
        this.#cost = knownCost(Object.values(event.usage.models)) ?? 0;
        return;
      case 'retrying':
        this.#retryAt = this.#now() + event.delayMs;
        return;
      case 'action-started':
        this.#running.set(event.id, {at: this.#now(), lines: 0});
        return;
      case 'action-output': {
        const started = this.#running.get(event.id);
        if (started === undefined) return;
        this.#running.set(event.id, {...started, lines: started.lines + event.chunk.split('\n').length - 1});
        return;
      }
      case 'action-settled':
        this.#running.delete(event.call.id);
        return;
      default:
    }
  }

  times(): RunTimes {
    const now = this.#now();
    const actions = new Map<ActionId, ActionProgress>();
    for (const [id, {at, lines}] of this.#running) actions.set(id, {elapsedMs: now - at, lines});
    const elapsedMs = this.#since === undefined ? 0 : now - this.#since;
    const workedMs = this.#workedMs + elapsedMs;
    return {
      elapsedMs,
      retryInMs: this.#retryAt - now,
      actions,
      costPerMinute: workedMs < shortestRated ? 'unknown' : ((this.#cost - this.#costBefore) * 60_000) / workedMs,
    };
  }

  #settle(): void {
    if (this.#since !== undefined) this.#workedMs += this.#now() - this.#since;
    this.#since = undefined;
    this.#running.clear();
  }
}

/** A rate over less than this says nothing. */
const shortestRated = 20_000;
