import {groupDigits} from './compaction.ts';
import {noUsage, type Usage} from './usage.ts';

/** The expected cost of a request. */
export interface CostEstimate {
  /** The tokens that the model reads. */
  readonly tokens: number;
  /** US dollars. `uncached`: the provider reads everything anew. `cached`: its cache still has the conversation. */
  readonly usd: {readonly uncached: number; readonly cached: number} | 'unknown';
}

/** Estimates the cost of a request with this many tokens, and of its answer. */
export function estimateCost(
  costOf: (usage: Usage) => number | 'unknown',
  {tokens, outputTokens = 0}: {readonly tokens: number; readonly outputTokens?: number},
): CostEstimate {
  const answer = {...noUsage, outputTokens};
  const read = costOf({...answer, inputTokens: tokens});
  const written = costOf({...answer, cacheWriteTokens: tokens});
  const cached = costOf({...answer, cacheReadTokens: tokens});
  const isKnown = read !== 'unknown' && written !== 'unknown' && cached !== 'unknown';
  return {tokens, usd: isKnown ? {uncached: Math.max(read, written), cached} : 'unknown'};
}

/** `about $0.40, cached $0.05`, or `about 45,000 tokens` if the price is unknown. */
export function estimateText({tokens, usd}: CostEstimate): string {
  if (usd === 'unknown') return `about ${groupDigits(tokens)} tokens`;
  const [uncached, cached] = [dollars(usd.uncached), dollars(usd.cached)];
  return `about ${uncached}${cached === uncached ? '' : `, cached ${cached}`}`;
}

const dollars = (usd: number): string => `$${usd.toFixed(usd < 0.01 ? 4 : 2)}`;

/** True if the request costs more than an ordinary one. weft then shows the estimate even if the user has nothing to decide. */
export const isUnusual = ({tokens, usd}: CostEstimate): boolean =>
  usd === 'unknown' ? tokens >= 100_000 : usd.uncached >= 0.25;

/** The time in milliseconds after which a provider's cache of a conversation has usually expired. */
export const cacheLifeMs = 5 * 60_000;
