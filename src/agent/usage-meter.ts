import type {ModelPort} from '../domain/model-stream.ts';
import type {SessionUsage} from '../actions/agent-event.ts';
import {providerSearches} from '../domain/conversation.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {timelineOf} from '../domain/timeline.ts';
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
  /** Whether the next request repeats the last one and adds to it. */
  #extendsLast = true;
  /** Estimated tokens of the next request, where the last request says nothing about it. */
  #expected: number | undefined;
  readonly #port: ModelPort;

  /** Starts from what the requests of a resumed session used. */
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
   * What a sub-agent or an MCP server has used counts as money and tokens, and says nothing of how full the context is. Where tokens alone
   * were reported the cost is estimated. An unknown cost beside a known one has a row of its own, so that it is seen.
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

  /** US dollars so far, of the models whose price is known. */
  get costUsd(): number {
    return knownCost(this.#models.values()) ?? 0;
  }

  /**
   * US dollars that will have been spent at the least when one more request to `model` has been sent: it brings what the one
   * before it brought, which costs no less than reading it from the provider's cache.
   */
  minCostAfterNext(model: string): number {
    if (this.#last === undefined || !isSameModel(this.#last.model, model) || !this.#extendsLast) return this.costUsd;
    const {inputTokens, cacheReadTokens, cacheWriteTokens} = this.#last.usage;
    const cacheRead = inputTokens + cacheReadTokens + cacheWriteTokens;
    const cost = this.#port.facts(model).costOf({...noUsage, cacheReadTokens: cacheRead});
    return this.costUsd + (cost === 'unknown' ? 0 : cost);
  }

  /** To be called when the conversation is no longer that of the last request, because of a rewind or a compaction. */
  follow(records: readonly JournalRecord[]): void {
    const last = timelineOf(records).activeRecords.findLast(({kind}) => kind === 'answer' || kind === 'compaction');
    if (last?.kind === 'compaction') this.expect(last.tokens.after);
    else this.expect(last?.kind === 'answer' ? contextTokens(last.message.usage) : 0);
  }

  /** Says that the next request comes to about so many tokens, whatever the last one was. */
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

/** Records that say how long the next request is. */
const setsContextSize: ReadonlySet<JournalRecord['kind']> = new Set([
  'answer',
  'usage',
  'compaction',
  'rewind',
  'redo',
]);

/** A provider may answer under a name with a date where the request named the model without one. Another model counts other tokens. */
const isSameModel = (answered: string, asked: string): boolean =>
  answered.startsWith(asked) || asked.startsWith(answered);
