import type {AgentEvent, SessionUsage} from '../../actions/agent-event.ts';
import type {ActionId, TodoId} from '../../domain/ids.ts';
import type {TodoList} from '../../domain/todo.ts';
import {knownCost} from '../../domain/usage.ts';
import type {ActionProgress, RunTimes} from '../state/view.ts';

const startEvents: ReadonlySet<AgentEvent['event']> = new Set([
  'prompt-accepted',
  'command-started',
  'compaction-begun',
]);
const endEvents: ReadonlySet<AgentEvent['event']> = new Set([
  'prompt-finished',
  'command-finished',
  'compaction-ended',
  'session-opened',
]);

interface Started {
  readonly at: number;
  readonly lines: number;
}

/** Measures working time in milliseconds. It pauses while the agent only waits for the user. */
export class RunClock {
  readonly #now: () => number;
  #since: number | undefined;
  #retryAt = 0;
  #workedMs = 0;
  #costBefore = 0;
  #cost = 0;
  #outputTokens = 0;
  #outputTokensBefore = 0;
  readonly #asked = new Set<ActionId>();
  /** The time spent waiting for the user since the prompt began, without the current wait. */
  #waitedMs = 0;
  #waitsSince: number | undefined;
  readonly #running = new Map<ActionId, Started>();
  readonly #todos = new Map<TodoId, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  handleEvent(event: AgentEvent): void {
    // A compaction on weft's own account is part of the running prompt.
    const isPart = 'trigger' in event && event.trigger === 'auto';
    if (startEvents.has(event.event) && this.#since === undefined) this.#begin();
    if (endEvents.has(event.event) && !isPart) this.#settle();
    this.#measure(event);
    this.#updateWaiting();
  }

  updateTodos(todos: TodoList): void {
    const running = new Set(todos.flatMap(({id, status}) => (status === 'in_progress' ? [id] : [])));
    for (const id of this.#todos.keys()) if (!running.has(id)) this.#todos.delete(id);
    for (const id of running) if (!this.#todos.has(id)) this.#todos.set(id, this.#workedNow());
  }

  #measure(event: AgentEvent): void {
    switch (event.event) {
      case 'session-opened':
        this.#workedMs = 0;
        this.#todos.clear();
        this.#updateUsage(event.usage);
        this.#costBefore = this.#cost;
        return;
      case 'usage-changed':
        this.#updateUsage(event.usage);
        return;
      case 'approval-requested':
        this.#asked.add(event.approval.id);
        return;
      case 'question-asked':
      case 'hand-over-asked':
      case 'compaction-offered':
        this.#asked.add(event.id);
        return;
      case 'approval-settled':
      case 'question-settled':
      case 'hand-over-settled':
      case 'compaction-answered':
        this.#asked.delete(event.id);
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
        this.#asked.delete(event.call.id);
        return;
      default:
    }
  }

  times(): RunTimes {
    const now = this.#now();
    const actions = new Map<ActionId, ActionProgress>();
    for (const [id, {at, lines}] of this.#running) actions.set(id, {elapsedMs: now - at, lines});
    const worked = this.#workedNow();
    const todos = new Map<TodoId, number>();
    for (const [id, since] of this.#todos) todos.set(id, worked - since);
    return {
      elapsedMs: worked - this.#workedMs,
      waitedMs: this.#waitedNow(),
      retryInMs: this.#retryAt - now,
      outputTokens: this.#since === undefined ? 0 : this.#outputTokens - this.#outputTokensBefore,
      actions,
      todos,
      costPerMinute: worked < minRatedMs ? 'unknown' : ((this.#cost - this.#costBefore) * 60_000) / worked,
    };
  }

  #updateUsage({models}: SessionUsage): void {
    const all = Object.values(models);
    this.#cost = knownCost(all) ?? 0;
    this.#outputTokens = all.reduce((sum, {usage}) => sum + usage.outputTokens, 0);
  }

  #begin(): void {
    this.#since = this.#now();
    this.#waitedMs = 0;
    this.#outputTokensBefore = this.#outputTokens;
  }

  #settle(): void {
    this.#workedMs = this.#workedNow();
    this.#waitedMs = this.#waitedNow();
    this.#since = undefined;
    this.#waitsSince = undefined;
    this.#asked.clear();
    this.#running.clear();
  }

  /** Records when a wait for the user begins and ends. While an action runs, the time counts as work. */
  #updateWaiting(): void {
    const isAsked = this.#since !== undefined && this.#asked.size > 0;
    const waits = isAsked && [...this.#running.keys()].every(id => this.#asked.has(id));
    if (waits) this.#waitsSince ??= this.#now();
    else {
      this.#waitedMs = this.#waitedNow();
      this.#waitsSince = undefined;
    }
  }

  #waitedNow(): number {
    return this.#waitedMs + (this.#waitsSince === undefined ? 0 : this.#now() - this.#waitsSince);
  }

  #workedNow(): number {
    return this.#workedMs + (this.#since === undefined ? 0 : this.#now() - this.#since - this.#waitedNow());
  }
}

/** The shortest working time, in milliseconds, for which a cost per minute is shown. */
const minRatedMs = 20_000;
