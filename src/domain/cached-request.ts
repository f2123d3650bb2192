import {pluralize} from '../base/clip.ts';
import {groupDigits} from './compaction.ts';
import type {Usage} from './usage.ts';

/** One request of a session, and what the provider's cache kept of the request before. */
export interface CachedRequest {
  /** Counts from 1. */
  readonly request: number;
  /** When its answer was complete, in milliseconds since the epoch. */
  readonly at: number;
  readonly model: string;
  readonly usage: Usage;
  /** `unreported`: the provider has reported no use of a cache in this session. */
  readonly prefix: 'first' | 'kept' | 'broken' | 'unreported';
  /** Why the prefix broke; `none` if it did not break. */
  readonly broken: BrokenPrefix | 'none';
}

/** The part of a request that differs from the request before. Messages count from 1. */
export type ChangedPart =
  | {readonly part: 'model'; readonly before: string}
  | ({readonly part: 'tools' | 'system'} & ChangedText)
  | ({readonly part: 'message'; readonly message: number; readonly after: PrefixChange | 'unknown'} & ChangedText);

/** `byte` is the first byte that differs, counted from 0 in this part. */
interface ChangedText {
  readonly byte: number;
}

/** Changes of messages that the model has read. */
export type PrefixChange = 'compaction' | 'rewind' | 'results-shortened' | 'media-left-out' | 'declined';

/**
 * `expired`: nothing changed, but the request came so late that the cache's time had run out. `dropped`: nothing
 * changed, but the provider no longer had the cache.
 */
export type BrokenPrefix = {readonly lostTokens: number} & (
  | ChangedPart
  | {readonly part: 'expired'; readonly idleMs: number}
  | {readonly part: 'dropped'}
);

/** Says in one line what the provider read from its cache and wrote to it. */
export function cachedRequestText({request, model, usage, prefix, broken}: CachedRequest): string {
  const {inputTokens, cacheReadTokens, cacheWriteTokens} = usage;
  const tokens = `${groupDigits(cacheReadTokens)} from cache, ${groupDigits(cacheWriteTokens)} written to cache, ${groupDigits(inputTokens)} uncached`;
  const why = broken === 'none' ? '' : `; ${brokenPrefixText(broken)}`;
  const first = prefix === 'first' ? '; first request' : '';
  return `Request ${request}, ${model}: ${tokens}${first}${why}`;
}

function brokenPrefixText(broken: BrokenPrefix): string {
  const lost = broken.lostTokens === 0 ? '' : `${groupDigits(broken.lostTokens)} cached tokens lost: `;
  return lost + changeText(broken);
}

function changeText(broken: BrokenPrefix): string {
  switch (broken.part) {
    case 'model':
      return `the model was ${broken.before}`;
    case 'tools':
      return `the tools changed, from byte ${groupDigits(broken.byte)} on`;
    case 'system':
      return `the system prompt changed, from byte ${groupDigits(broken.byte)} on`;
    case 'message': {
      const by = broken.after === 'unknown' ? '' : ` (${changeNames[broken.after]})`;
      return `message ${broken.message} changed, from byte ${groupDigits(broken.byte)} on${by}`;
    }
    case 'expired':
      return `the cache expired, ${pluralize(Math.round(broken.idleMs / 60_000), 'minute')} after the request before`;
    default:
      return 'the provider no longer had it, although nothing changed';
  }
}

const changeNames: Readonly<Record<PrefixChange, string>> = {
  compaction: 'compaction',
  rewind: 'rewind',
  'results-shortened': 'old results were shortened',
  'media-left-out': 'images or documents were left out',
  declined: 'a declined prompt was left out',
};
