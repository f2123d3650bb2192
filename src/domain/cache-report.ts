import type {BrokenPrefix, CachedRequest, ChangedPart, PrefixChange} from './cached-request.ts';
import type {Message} from './conversation.ts';
import {cacheLifeMs} from './cost-estimate.ts';
import {historyFromJournal} from './history.ts';
import type {JournalRecord} from './journal.ts';
import type {Usage} from './usage.ts';

/** A record of a session's journal, and when it was written. */
export interface TimedRecord {
  readonly record: JournalRecord;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The beginning of a request, in the order in which providers cache it. Empty texts are unknown. */
interface Prefix {
  readonly model: string;
  readonly tools: string;
  readonly system: string;
  readonly messages: readonly Message[];
}

/** Fewer lost tokens do not count as a break: providers cache in blocks, and some do not promise to keep a cache. */
const minLost = 1024;
const minLostShare = 0.1;

/**
 * Returns the requests of a session, with what the provider read from its cache. Builds each request again from the
 * journal to find the first byte that differs from the request before.
 */
export function cacheReport(timed: readonly TimedRecord[]): readonly CachedRequest[] {
  const records = timed.map(({record}) => record);
  const usages = records.flatMap(record => (record.kind === 'answer' ? [record.message.usage] : []));
  const isReported = usages.some(({cacheReadTokens, cacheWriteTokens}) => cacheReadTokens + cacheWriteTokens > 0);
  // A provider that counts no writes caches whatever it reads.
  const isExplicit = usages.some(({cacheWriteTokens}) => cacheWriteTokens > 0);
  const cachedBy = ({inputTokens, cacheReadTokens, cacheWriteTokens}: Usage): number =>
    cacheReadTokens + (isExplicit ? cacheWriteTokens : inputTokens);
  const report: CachedRequest[] = [];
  let before: (Prefix & {readonly at: number; readonly cached: number; readonly seq: number}) | undefined;
  let texts = {tools: '', system: ''};
  for (const [seq, {record, at}] of timed.entries()) {
    if (record.kind === 'request-prefix') texts = record;
    if (record.kind !== 'answer') continue;
    const {model, usage, id} = record.message;
    const earlier = records.slice(0, seq).filter(each => each.kind !== 'piece' || each.message !== id);
    const prefix = {model, ...texts, messages: historyFromJournal(earlier).messages};
    const row = {request: report.length + 1, at, model, usage};
    if (before === undefined) report.push({...row, prefix: 'first', broken: 'none'});
    else {
      const lostTokens = Math.max(0, before.cached - usage.cacheReadTokens);
      const change = changedPart(before, prefix, lastChange(records.slice(before.seq, seq)));
      const isLost = isReported && lostTokens >= Math.max(minLost, before.cached * minLostShare);
      const broken: BrokenPrefix | 'none' =
        change !== undefined && (isLost || !isReported)
          ? {...change, lostTokens: isReported ? lostTokens : 0}
          : !isLost
            ? 'none'
            : at - before.at > cacheLifeMs
              ? {part: 'expired', idleMs: at - before.at, lostTokens}
              : {part: 'dropped', lostTokens};
      report.push({...row, prefix: broken !== 'none' ? 'broken' : isReported ? 'kept' : 'unreported', broken});
    }
    before = {...prefix, at, cached: cachedBy(usage), seq};
  }
  return report;
}

/** Returns the first part of a request that differs from the request before. `undefined` if it only adds to it. */
function changedPart(
  before: Prefix,
  now: Prefix,
  after: PrefixChange | 'unknown' = 'unknown',
): ChangedPart | undefined {
  if (before.model !== now.model) return {part: 'model', before: before.model};
  for (const part of ['tools', 'system'] as const) {
    const byte = before[part] === '' ? 'none' : firstDifference(before[part], now[part]);
    if (byte !== 'none') return {part, byte};
  }
  for (const [at, message] of before.messages.entries()) {
    const other = now.messages[at];
    if (other !== undefined && isSame(message, other)) continue;
    const byte = firstDifference(sentText(message), other === undefined ? '' : sentText(other));
    if (byte !== 'none') return {part: 'message', message: at + 1, byte, after};
  }
  return undefined;
}

const isSame = (one: Message, other: Message): boolean =>
  one === other ||
  (one.blocks.length === other.blocks.length && one.blocks.every((block, at) => block === other.blocks[at]));

const sentText = ({role, blocks}: Message): string => JSON.stringify({role, blocks});

/** Returns the first byte of UTF-8 in which two texts differ. A text that only grew differs where it grew. */
function firstDifference(one: string, other: string): number | 'none' {
  if (one === other) return 'none';
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
  const at = bytes.findIndex((byte, index) => byte !== others[index]);
  return at === -1 ? bytes.length : at;
}

const changes: readonly PrefixChange[] = ['compaction', 'rewind', 'results-shortened', 'media-left-out', 'declined'];

const lastChange = (records: readonly JournalRecord[]): PrefixChange | 'unknown' =>
  changes.find(change => records.some(({kind}) => kind === change)) ?? 'unknown';
