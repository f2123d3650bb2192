import {raceAbort} from '../base/race.ts';

/** The expected cost of a request to `model`, in US dollars. */
export interface ExpectedCost {
  readonly model: string;
  /** The minimum cost: everything from the last request is read from the cache. */
  readonly minUsd: number;
  /** The maximum cost: nothing comes from the cache, and the answer has its maximum length. */
  readonly maxUsd: number;
}

/** Money reserved for a request that was sent. */
export interface Reservation {
  readonly kind: 'reserved';
  /** Returns the money that was not used. Count the cost of the request before this call. Further calls do nothing. */
  settle(costUsd: number | 'unknown'): void;
}

type Refusal = {readonly kind: 'spent'; readonly usd: number} | {readonly kind: 'aborted'};

/**
 * The cost limit of a session, shared by all its requests: of its agents, for summaries and for MCP servers.
 * A request that runs alone may exceed the limit, if at least its minimum cost is left. So only that one request can exceed it. While
 * other requests run, a new one waits until the maximum costs of all of them fit. A maximum that was too low is raised to the actual cost.
 * Each consecutive request that stays within its maximum lets one more run at the same time.
 */
export class CostBudget {
  readonly #limit: number | 'unlimited';
  readonly #spent: () => number;
  #running = 0;
  #reserved = 0;
  /** The number of consecutive requests that cost no more than expected. */
  #withinEstimate = 0;
  /** The cost of the most expensive request to each model. */
  readonly #highestCosts = new Map<string, number>();
  #waiting: (() => void)[] = [];

  constructor(limit: number | 'unlimited', spent: () => number) {
    this.#limit = limit;
    this.#spent = spent;
  }

  /** Returns the limit if a request with this minimum cost would exceed it. */
  limitExceededBy(least: number): number | undefined {
    const limit = this.#limit;
    if (limit === 'unlimited') return undefined;
    return this.#spent() >= limit || this.#spent() + least > limit ? limit : undefined;
  }

  /** Reserves money for a request. Waits while other requests have reserved too much. */
  async reserve(expect: () => Promise<ExpectedCost>, signal: AbortSignal): Promise<Reservation | Refusal> {
    const limit = this.#limit;
    if (limit === 'unlimited') return noopReservation;
    const {model, minUsd, maxUsd} = await expect();
    for (;;) {
      if (signal.aborted) return {kind: 'aborted'};
      const usd = this.limitExceededBy(minUsd);
      if (usd !== undefined) return {kind: 'spent', usd};
      const amount = Math.max(minUsd, maxUsd, this.#highestCosts.get(model) ?? 0);
      if (
        this.#running === 0 ||
        (this.#running <= this.#withinEstimate && this.#spent() + this.#reserved + amount <= limit)
      ) {
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
        this.#withinEstimate = cost <= amount ? this.#withinEstimate + 1 : 0;
        this.#highestCosts.set(model, Math.max(cost, this.#highestCosts.get(model) ?? 0));
        const waiting = this.#waiting;
        this.#waiting = [];
        for (const wake of waiting) wake();
      },
    };
  }
}

const noopReservation: Reservation = {kind: 'reserved', settle: () => {}};
