import {unreachable} from '../../base/unreachable.ts';
import type {UserBlock} from '../../domain/conversation.ts';
import type {SessionId} from '../../domain/ids.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import {timelineOf} from '../../domain/timeline.ts';
import {answerPartName, resultName} from '../../protocol/rpc/message-names.ts';
import {wireBlock, wireStop, wireToolResult, wireUsage} from '../../protocol/rpc/wire-content.ts';

/** The conversation that counts of a session, as messages of the Agent SDK. `uuid` gives the same UUID for the same name. */
export function sessionMessages(
  records: readonly JournalRecord[],
  {session, uuid}: {readonly session: SessionId; readonly uuid: (name: string) => string},
): readonly object[] {
  const envelope = (id: string) => ({parent_tool_use_id: null, session_id: session, uuid: id});
  return timelineOf(records).activeRecords.flatMap((record): readonly object[] => {
    switch (record.kind) {
      case 'prompt':
      case 'reminder': {
        const {id, blocks} = record.message;
        return [{type: 'user', message: {role: 'user', content: blocks.map(wireUserBlock)}, ...envelope(id)}];
      }
      case 'answer': {
        const {id, model, blocks, stop, usage} = record.message;
        const message = {
          id,
          type: 'message',
          role: 'assistant',
          model,
          content: blocks.map(wireBlock),
          stop_reason: wireStop(stop),
          stop_sequence: null,
          usage: wireUsage(usage),
        };
        return [{type: 'assistant', message, ...envelope(uuid(answerPartName(id, 0)))}];
      }
      case 'result': {
        const content = [wireToolResult(record.result)];
        return [{type: 'user', message: {role: 'user', content}, ...envelope(uuid(resultName(record.result.id)))}];
      }
      default:
        return [];
    }
  });
}

function wireUserBlock(block: UserBlock): object {
  switch (block.kind) {
    case 'text':
      return {type: 'text', text: block.text};
    case 'image':
      return {type: 'image', source: {type: 'base64', media_type: block.mediaType, data: block.data}};
    case 'tool-result':
      return wireToolResult(block);
    default:
      return unreachable(block);
  }
}
