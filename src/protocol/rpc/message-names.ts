import type {ActionId, MessageId} from '../../domain/ids.ts';
import type {JournalRecord} from '../../domain/journal.ts';

/** What a message with a part of an answer is called: its uuid is made of it, so that a client may name it when it resumes. */
export const answerPartName = (message: MessageId, number: number): string => `answer ${number} ${message}`;

/** What the message with a tool's result is called. */
export const resultName = (id: ActionId): string => `result ${id}`;

/** What the messages that told of a record are called, as far as they can be named; an answer may have had fewer. */
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
