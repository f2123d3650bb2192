import type {ModelPort} from '../domain/model-stream.ts';
import type {SessionUsage} from '../actions/agent-event.ts';
import {providerSearches} from '../domain/conversation.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {conversationRecords} from '../domain/timeline.ts';
import {
  addUsage,
  contextTokens,
  knownCost,
  noUsage,
  searchCostUsd,
  type ModelUsage,
  type Usage,
} from '../domain/usage.ts';

type AgentUsage = Omit<Extract<JournalRecord, {kind: 'agent-usage'}>, 'kind'>;

/** Adds up the tokens and costs that the provider reported, per model, for one session. */
export class UsageMeter {
  readonly #models = new Map<string, ModelUsage>();
  #last: {readonly model: string; readonly usage: Usage} | undefined;
  /** True if the next request repeats the last one and adds to it. */
  #extendsLast = true;
  /** The estimated tokens of the next request, if the last request does not predict them. */
  #expected: number | undefined;
  readonly #port: ModelPort;

  /** Starts with the usage of a resumed session. */
  constructor(port: ModelPort, records: readonly JournalRecord[]) {
    this.#port = port;
    for (const record of records) {
      if (record.kind === 'answer') {
        this.add(record.message.model, record.message.usage, providerSearches(record.message));
      }
      if (record.kind === 'usage') this.add(record.model, record.usage, 0);
      if (record.kind === 'agent-usage') this.addAgentUsage(record);
    }
    const last = records.findLast(record => setsContextSize.has(record.kind));
    if (last !== undefined && last.kind !== 'answer' && last.kind !== 'usage') this.follow(records);
  }

  add(model: string, usage: Usage, searches: number): void {
    const before = this.#models.get(model) ?? {usage: noUsage, costUsd: 0, requests: 0, webSearches: 0};
    const cost = this.#port.facts(model).costOf(usage);
    this.#models.set(model, {
      usage: addUsage(before.usage, usage),
      costUsd:
        before.costUsd === 'unknown' || cost === 'unknown'
          ? 'unknown'
          : before.costUsd + cost + searches * searchCostUsd,
      requests: before.requests + 1,
      webSearches: before.webSearches + searches,
    });
    this.#last = {model, usage};
    this.#extendsLast = true;
    this.#expected = undefined;
  }

  /**
   * Counts the usage of a sub-agent or an MCP server as money and tokens, but not as context. Estimates the cost if
   * only tokens were reported. An unknown cost beside a known one gets its own row, so that it stays visible.
   */
  addAgentUsage({model: named, usage, costUsd}: AgentUsage): void {
    const cost = costUsd === 'unknown' ? this.#port.facts(named).costOf(usage) : costUsd;
    const isKnown = (this.#models.get(named)?.costUsd ?? 'unknown') !== 'unknown';
    const model = cost === 'unknown' && isKnown ? `${named} (cost unknown)` : named;
    const before = this.#models.get(model) ?? {usage: noUsage, costUsd: 'unknown', requests: 0, webSearches: 0};
    this.#models.set(model, {
      ...before,
      usage: addUsage(before.usage, usage),
      costUsd: cost === 'unknown' ? before.costUsd : cost + (before.costUsd === 'unknown' ? 0 : before.costUsd),
      requests: before.requests + 1,
    });
  }

  /** US dollars so far, for the models whose price is known. */
  get costUsd(): number {
    return knownCost(this.#models.values()) ?? 0;
  }

  /**
   * Returns the minimum total in US dollars after one more request to `model`. That request repeats the last one, which
   * costs at least as much as reading it from the provider's cache.
   */
  minCostAfterNext(model: string): number {
    if (this.#last === undefined || !isSameModel(this.#last.model, model) || !this.#extendsLast) return this.costUsd;
    const {usage} = this.#last;
    const cacheReadTokens = Math.max(0, contextTokens(usage) - usage.outputTokens);
    const cost = this.#port.facts(model).costOf({...noUsage, cacheReadTokens});
    return this.costUsd + (cost === 'unknown' ? 0 : cost);
  }

  /** Called when the conversation no longer matches the last request, after a rewind or a compaction. */
  follow(records: readonly JournalRecord[]): void {
    const last = conversationRecords(records).findLast(({kind}) => kind === 'answer' || kind === 'compaction');
    if (last?.kind === 'compaction') this.expect(last.tokens.after);
    else this.expect(last?.kind === 'answer' ? contextTokens(last.message.usage) : 0);
  }

  /** Sets the estimated tokens of the next request, whatever the last one was. */
  expect(tokens: number): void {
    this.#extendsLast = false;
    this.#expected = tokens;
  }

  report(): SessionUsage {
    return {
      models: Object.fromEntries(this.#models),
      contextTokens: this.#expected ?? (this.#last === undefined ? 0 : contextTokens(this.#last.usage)),
      contextWindow: this.#last === undefined ? 0 : this.#port.facts(this.#last.model).contextWindow,
    };
  }
}

/** Kinds of records that determine the length of the next request. */
const setsContextSize: ReadonlySet<JournalRecord['kind']> = new Set([
  'answer',
  'usage',
  'compaction',
  'declined',
  'rewind',
  'redo',
]);

/** True if a provider answered under the requested name, perhaps with a date added. Other models count tokens differently. */
const isSameModel = (answered: string, asked: string): boolean =>
  answered.startsWith(asked) || asked.startsWith(answered);
