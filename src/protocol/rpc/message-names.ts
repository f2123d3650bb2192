import type {ActionId, MessageId} from '../../domain/ids.ts';
import type {JournalRecord} from '../../domain/journal.ts';

/**
 * Returns the name of a message with a part of an answer. Its uuid is derived from the name, so that a client can
 * refer to it when it resumes.
 */
export const answerPartName = (message: MessageId, number: number): string => `answer ${number} ${message}`;

/** Returns the name of the message with a tool's result. */
export const resultName = (id: ActionId): string => `result ${id}`;

/** Returns the names of the messages for a record, as far as they can be known. An answer may have had fewer. */
export function recordMessageNames(record: JournalRecord): readonly string[] {
  switch (record.kind) {
    case 'answer':
      return record.message.blocks.map((_block, number) => answerPartName(record.message.id, number));
    case 'result':
      return [resultName(record.result.id)];
    default:
      return [];
  }
}
