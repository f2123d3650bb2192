import type {Message} from '../../domain/conversation.ts';
import {historyFromJournal} from '../../domain/history.ts';
import type {MessageId} from '../../domain/ids.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import {timelineOf} from '../../domain/timeline.ts';

/** The conversation between two compactions. */
interface MessageSegment {
  /** A valid history. If a compaction came before, its message is the first. */
  readonly messages: readonly Message[];
  /** The summary of the compaction before; empty if there is none. */
  readonly summary: string;
  /** The messages that the user sent. */
  readonly prompts: ReadonlySet<MessageId>;
}

/** Splits a session at its compactions, for formats that keep what a compaction replaced. */
export function messageSegments(records: readonly JournalRecord[]): readonly MessageSegment[] {
  const active = timelineOf(records).activeRecords;
  const starts = active.flatMap(({kind}, at) => (kind === 'compaction' ? [at] : []));
  return [0, ...starts].map((start, at) => {
    const own = active.slice(start, starts[at] ?? active.length);
    const [first] = own;
    return {
      messages: historyFromJournal(own).messages,
      summary: first?.kind === 'compaction' ? first.summary : '',
      prompts: new Set(own.flatMap(record => (record.kind === 'prompt' ? [record.message.id] : []))),
    };
  });
}
