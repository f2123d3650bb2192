import {raceAbort} from '../base/race.ts';

/** US dollars that a request to `model` is expected to cost. */
export interface ExpectedCost {
  readonly model: string;
  /** The least: it reads again from the cache what the last one brought. */
  readonly least: number;
  /** The most: nothing comes from the cache, and the answer is as long as it may be. */
  readonly most: number;
}

/** Money that is kept back for a request that has left. */
export interface Reservation {
  readonly kind: 'reserved';
  /** Gives back what was not used; once is enough. The cost has to be counted before. */
  settle(costUsd: number | 'unknown'): void;
}

type Refusal = {readonly kind: 'spent'; readonly usd: number} | {readonly kind: 'aborted'};

/**
 * The cost limit of a session, kept by all requests that leave for it: those of its agents, for summaries and for MCP servers.
 *
 * A request that leaves alone may cost what it wants, if what it costs at the least is left; so the limit is passed by that one
 * request at most. A request beside others has to fit with the most that all of them may cost; else it waits for their end. A most
 * that was too low is raised to what was paid, and as many requests run side by side as have kept to theirs.
 */
export class CostBudget {
  readonly #limit: number | 'unlimited';
  readonly #spent: () => number;
  #running = 0;
  #reserved = 0;
  /** Requests in a row that cost no more than was expected. */
  #kept = 0;
  /** The cost of the dearest request to each model. */
  readonly #dearest = new Map<string, number>();
  #waiting: (() => void)[] = [];

  constructor(limit: number | 'unlimited', spent: () => number) {
    this.#limit = limit;
    this.#spent = spent;
  }

  /** The limit, if a request that costs so much at the least would pass it. */
  limitPassedBy(least: number): number | undefined {
    const limit = this.#limit;
    if (limit === 'unlimited') return undefined;
    return this.#spent() >= limit || this.#spent() + least > limit ? limit : undefined;
  }

  /** Keeps back the money for a request, and waits if others have it. */
  async reserve(expect: () => Promise<ExpectedCost>, signal: AbortSignal): Promise<Reservation | Refusal> {
    const limit = this.#limit;
    if (limit === 'unlimited') return nothingReserved;
    const {model, least, most} = await expect();
    for (;;) {
      if (signal.aborted) return {kind: 'aborted'};
      const usd = this.limitPassedBy(least);
      if (usd !== undefined) return {kind: 'spent', usd};
      const amount = Math.max(least, most, this.#dearest.get(model) ?? 0);
      if (this.#running === 0 || (this.#running <= this.#kept && this.#spent() + this.#reserved + amount <= limit)) {
        return this.#take(model, amount);
      }
      await raceAbort(new Promise<void>(resolve => this.#waiting.push(resolve)), signal);
    }
  }

  #take(model: string, amount: number): Reservation {
    this.#running += 1;
    this.#reserved += amount;
    let isOpen = true;
    return {
      kind: 'reserved',
      settle: costUsd => {
        if (!isOpen) return;
        isOpen = false;
        this.#running -= 1;
        this.#reserved -= amount;
        const cost = costUsd === 'unknown' ? 0 : costUsd;
        this.#kept = cost <= amount ? this.#kept + 1 : 0;
        this.#dearest.set(model, Math.max(cost, this.#dearest.get(model) ?? 0));
        const waiting = this.#waiting;
        this.#waiting = [];
        for (const wake of waiting) wake();
      },
    };
  }
}

const nothingReserved: Reservation = {kind: 'reserved', settle: () => {}};
