import {type CheckStatus, checkKey, outcomeOf} from '../domain/receipt.ts';
import {timelineOf} from '../domain/timeline.ts';
import type {SessionContext} from './session-context.ts';

/** Returns the latest run of each check of a session, in order of the first runs. A run with an unknown outcome replaces no fresh one. */
export async function readChecks(session: SessionContext, signal: AbortSignal): Promise<readonly CheckStatus[]> {
  const {activeRecords} = timelineOf(session.conversation.journal.records);
  const receipts = activeRecords.flatMap(record => (record.kind === 'receipt' ? [record.receipt] : []));
  const runs = [...Map.groupBy(receipts, checkKey).values()];
  const candidates = runs.map(each => {
    const known = each.findLast(receipt => outcomeOf(receipt) !== 'unknown');
    return [...new Set([known, each.at(-1)])].filter(receipt => receipt !== undefined);
  });
  const compared = await session.ports.comparison.unchangedSince(candidates.flat(), signal);
  const fresh = new Set(compared.tag === 'ok' ? candidates.flat().filter((_, at) => compared.value[at]) : []);
  return candidates.flatMap(each => {
    const receipt = each.find(one => fresh.has(one)) ?? each.at(-1);
    return receipt === undefined ? [] : [{receipt, isFresh: fresh.has(receipt)}];
  });
}
