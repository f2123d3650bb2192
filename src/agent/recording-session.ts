import type {JournalRecord, OpenSession} from '../domain/journal.ts';

/**
 * The same session, whose `records` also hold what is appended from now on: going back reads them. Pieces are left out, since
 * the answer they belong to follows.
 */
export function recordingSession(session: OpenSession): OpenSession {
  const records: JournalRecord[] = [...session.records];
  return {
    id: session.id,
    records,
    append(record) {
      session.append(record);
      if (record.kind !== 'piece') records.push(record);
    },
    close: () => session.close(),
  };
}
