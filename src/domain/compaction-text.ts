import {messageText, type UserMessage} from './conversation.ts';
import type {CompactionPreview, CompactionReport, CompactionTokens, CountedPart, SummaryCost} from './compaction.ts';

/** What a compaction has done, and how to take it back. */
export const compactedText = ({way, tokens}: CompactionReport): string =>
  `${way === 'summary' ? 'Compacted' : 'Shortened'}: ${tokensText(tokens)}. /undo takes that back until the next prompt, ` +
  '/rewind to an earlier prompt after it.';

/** What is shown of a compacted conversation where it is gone on with: the summary. */
export function compactedPastText(message: UserMessage): string {
  const summary = /\n<summary>\n([^]*)\n<\/summary>$/u.exec(messageText(message))?.[1] ?? '';
  return `The conversation before this was compacted.${summary === '' ? '' : `\n${summary}`}`;
}

/** `84,210 → about 9,300 tokens`. What comes after is always an estimate. */
export const tokensText = ({before, after}: CompactionTokens): string =>
  `${grouped(before)} → about ${grouped(after)} tokens`;

/** What a compaction would do, in a line. */
export function previewTitle({way, tokens, before}: CompactionPreview): string {
  const title = way === 'summary' ? 'Compact the conversation?' : 'Shorten the conversation without a summary?';
  return `${title} ${before === 'estimated' ? 'about ' : ''}${tokensText(tokens)}, by estimate`;
}

/** What there is to know besides: why there is no summary, and whether it is worth it. */
export const previewWarnings = ({why, tokens}: CompactionPreview): readonly string[] => [
  ...(why === '' ? [] : [`No summary: ${why}`]),
  ...(tokens.after < tokens.before ? [] : ['This makes nothing shorter.']),
];

/** Parts with their tokens, or `nothing`. */
export const partTexts = (parts: readonly CountedPart[]): readonly string[] =>
  parts.length === 0
    ? ['nothing']
    : parts.map(({what, tokens}) => (tokens === 0 ? what : `${what} (~${grouped(tokens)})`));

export const undoText = 'Undo: /undo until the next prompt, then /rewind to an earlier one.';

/** What the request for the summary used; empty where there was none. */
export function costText(cost: SummaryCost): string {
  if (cost.kind === 'none') return '';
  const {inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens} = cost.usage;
  const read = inputTokens + cacheReadTokens + cacheWriteTokens;
  const usd = cost.usd === 'unknown' ? 'an unknown price' : `$${cost.usd.toFixed(4)}`;
  return `The summary cost ${usd}: ${grouped(read)} tokens in (${grouped(cacheReadTokens)} cached), ${grouped(outputTokens)} out.`;
}

/** `84,210`. */
export const grouped = (count: number): string => String(Math.round(count)).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');
