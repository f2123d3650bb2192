import type {JournalRecord} from './journal.ts';
import type {MessageId} from './ids.ts';
import {noUsage} from './usage.ts';

/** A record as readers of a journal see it: pieces are joined. */
export type WholeRecord = Exclude<JournalRecord, {kind: 'piece'}>;
type Piece = Extract<JournalRecord, {kind: 'piece'}>;

/**
 * The records with the pieces of every answer that was never kept whole (weft was killed while it came) joined into an
 * interrupted answer, where its last piece stands. Pieces of answers that were kept say nothing new.
 */
export function joinPieces(records: readonly JournalRecord[]): readonly WholeRecord[] {
  const whole = new Set(records.flatMap(record => (record.kind === 'answer' ? [record.message.id] : [])));
  const cut = new Map<MessageId, Piece[]>();
  for (const record of records) {
    if (record.kind !== 'piece' || whole.has(record.message)) continue;
    const pieces = cut.get(record.message);
    if (pieces === undefined) cut.set(record.message, [record]);
    else pieces.push(record);
  }
  return records.flatMap((record): readonly WholeRecord[] => {
    if (record.kind !== 'piece') return [record];
    const pieces = cut.get(record.message);
    return pieces?.at(-1) === record ? [joined(record, pieces)] : [];
  });
}

function joined({message: id, model}: Piece, pieces: readonly Piece[]): WholeRecord {
  const texts = new Map<number, string>();
  for (const {index, text} of pieces) texts.set(index, (texts.get(index) ?? '') + text);
  const blocks = [...texts].toSorted(([a], [b]) => a - b).map(([, text]) => ({kind: 'text', text}) as const);
  return {kind: 'answer', message: {role: 'assistant', id, model, blocks, stop: 'interrupted', usage: noUsage}};
}
