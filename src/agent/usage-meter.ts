import type {SessionUsage} from '../actions/agent-event.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {addUsage, contextTokens, knownCost, noUsage, type ModelUsage, type Usage} from '../domain/usage.ts';
import type {ModelPort} from './ports.ts';

/** Adds up what the provider counted, per model, for one session. */
export class UsageMeter {
  readonly #models = new Map<string, ModelUsage>();
  #last: {readonly model: string; readonly usage: Usage} | undefined;
  readonly #port: ModelPort;

  /** Starts from what the requests of a resumed session used. */
  constructor(port: ModelPort, records: readonly JournalRecord[]) {
    this.#port = port;
    for (const record of records) {
      if (record.kind === 'answer') this.add(record.message.model, record.message.usage);
      if (record.kind === 'usage') this.add(record.model, record.usage);
    }
  }

  add(model: string, usage: Usage): void {
    const before = this.#models.get(model) ?? {usage: noUsage, costUsd: 0, requests: 0};
    const cost = this.#port.facts(model).costOf(usage);
    this.#models.set(model, {
      usage: addUsage(before.usage, usage),
      costUsd: before.costUsd === 'unknown' || cost === 'unknown' ? 'unknown' : before.costUsd + cost,
      requests: before.requests + 1,
    });
    this.#last = {model, usage};
  }

  /** US dollars so far, of the models whose price is known. */
  get costUsd(): number {
    return knownCost(this.#models.values()) ?? 0;
  }

  report(): SessionUsage {
    return {
      models: Object.fromEntries(this.#models),
      contextTokens: this.#last === undefined ? 0 : contextTokens(this.#last.usage),
      contextWindow: this.#last === undefined ? 0 : this.#port.facts(this.#last.model).contextWindow,
    };
  }
}
