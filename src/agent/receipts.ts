import type {ComparisonPort} from '../actions/review-port.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {type CheckStatus, checkKey, outcomeOf} from '../domain/receipt.ts';
import {timelineOf} from '../domain/timeline.ts';
import type {SessionContext} from './session-context.ts';

/** Returns the checks of an open session. */
export const readChecks = (session: SessionContext, signal: AbortSignal): Promise<readonly CheckStatus[]> =>
  checksIn(session.conversation.journal.records, session.ports.comparison, signal);

/** Returns the latest run of each check of a journal, in order of the first runs. A run with an unknown outcome replaces no fresh one. */
export async function checksIn(
  records: readonly JournalRecord[],
  comparison: Pick<ComparisonPort, 'unchangedSince'>,
  signal: AbortSignal,
): Promise<readonly CheckStatus[]> {
  const {activeRecords} = timelineOf(records);
  const receipts = activeRecords.flatMap(record => (record.kind === 'receipt' ? [record.receipt] : []));
  const runs = [...Map.groupBy(receipts, checkKey).values()];
  const candidates = runs.map(each => {
    const known = each.findLast(receipt => outcomeOf(receipt) !== 'unknown');
    return [...new Set([known, each.at(-1)])].filter(receipt => receipt !== undefined);
  });
  const compared = await comparison.unchangedSince(candidates.flat(), signal);
  const fresh = new Set(compared.tag === 'ok' ? candidates.flat().filter((_, at) => compared.value[at]) : []);
  return candidates.flatMap(each => {
    const receipt = each.find(one => fresh.has(one)) ?? each.at(-1);
    return receipt === undefined ? [] : [{receipt, isFresh: fresh.has(receipt)}];
  });
}
