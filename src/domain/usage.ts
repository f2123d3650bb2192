/** Tokens of one or more model requests, as the provider counted them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /**
   * The cost of the one request in US dollars: as the provider reported it, or by the prices at that time. Sums of
   * several requests have none.
   */
  readonly costUsd?: number | undefined;
  /** Present if the provider didn't count some of the tokens, so that weft estimated them. */
  readonly estimated?: true | undefined;
  /** The part of the tokens that belongs to tries before the last one. They are billed, but not in the model's context. */
  readonly lostTokens?: number | undefined;
}

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Returns the cost in US dollars at these prices. */
export function costAt(price: Price, usage: Usage): number {
  const perMillion =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadTokens * price.cacheRead +
    usage.cacheWriteTokens * price.cacheWrite;
  return perMillion / 1_000_000;
}

/** The price of one web search by the provider, in US dollars. Anthropic charges 10 for a thousand. */
export const searchCostUsd = 0.01;

/** The usage and cost of one model. `costUsd` is in US dollars, or `'unknown'` if the model's price is unknown. */
export interface ModelUsage {
  readonly usage: Usage;
  readonly costUsd: number | 'unknown';
  readonly requests: number;
  readonly webSearches: number;
}

export const noUsage: Usage = {inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0};

export const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  ...(a.estimated === true || b.estimated === true ? {estimated: true} : {}),
});

/** Returns the cost of a session and the usage of its models, one a line. */
export function costText(models: Readonly<Record<string, ModelUsage>>): string {
  const rows = Object.entries(models).map(([name, {usage, costUsd}]) => {
    const {inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens} = usage;
    const tokens = `${inputTokens} input, ${outputTokens} output, ${cacheReadTokens} cache read, ${cacheWriteTokens} cache write`;
    return `${name}: ${tokens} (${costUsd === 'unknown' ? 'price unknown' : dollarText(costUsd)})`;
  });
  const total = knownCost(Object.values(models));
  return [`Cost: ${total === undefined && rows.length > 0 ? 'unknown' : dollarText(total ?? 0)}`, ...rows].join('\n');
}

const dollarText = (usd: number): string => `$${usd.toFixed(4)}`;

/** Returns the usage since `before`, an earlier value of the same counter. */
export const usageSince = (now: Usage, before: Usage): Usage => ({
  inputTokens: Math.max(0, now.inputTokens - before.inputTokens),
  outputTokens: Math.max(0, now.outputTokens - before.outputTokens),
  cacheReadTokens: Math.max(0, now.cacheReadTokens - before.cacheReadTokens),
  cacheWriteTokens: Math.max(0, now.cacheWriteTokens - before.cacheWriteTokens),
});

/** Returns the tokens in the model's context after its answer: the whole request and the answer. */
export const contextTokens = ({
  inputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  outputTokens,
  lostTokens = 0,
}: Usage): number => inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens - lostTokens;

/** Returns the models and programs with a cost that is unknown. */
export const unknownCosts = (models: Readonly<Record<string, ModelUsage>>): readonly string[] =>
  Object.entries(models).flatMap(([name, {costUsd}]) => (costUsd === 'unknown' ? [name] : []));

/** Returns the models and programs with a cost that is estimated, because their provider didn't count all tokens. */
export const estimatedCosts = (models: Readonly<Record<string, ModelUsage>>): readonly string[] =>
  Object.entries(models).flatMap(([name, {usage, costUsd}]) =>
    usage.estimated === true && costUsd !== 'unknown' && costUsd > 0 ? [name] : [],
  );

/** Returns the sum of the known costs in US dollars; `undefined` if no cost is known. */
export function knownCost(models: Iterable<ModelUsage>): number | undefined {
  let sum: number | undefined;
  for (const model of models) if (model.costUsd !== 'unknown') sum = (sum ?? 0) + model.costUsd;
  return sum;
}
