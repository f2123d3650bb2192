import type {CompactionReport, CompactionTokens} from './compaction.ts';

/** What a compaction has done, and how to take it back. */
export const compactedText = ({way, tokens}: CompactionReport): string =>
  `${way === 'summary' ? 'Compacted' : 'Shortened'}: ${tokensText(tokens)}. /undo takes that back until the next prompt, ` +
  '/rewind to an earlier prompt after it.';

/** `84,210 → about 9,300 tokens`. What comes after is always an estimate. */
export const tokensText = ({before, after}: CompactionTokens): string => `${grouped(before)} → about ${grouped(after)} tokens`;

/** `84,210`. */
export const grouped = (count: number): string => String(Math.round(count)).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');
