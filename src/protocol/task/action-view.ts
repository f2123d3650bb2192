import type {JsonObject} from '../../base/json.ts';
import {messageOf} from './message-view.ts';
import {chosen, childOf, childrenOf, oneOf, snakeCase, textOf, textsOf, valueOf} from './record-fields.ts';
import type {ClientAction, ProtocolTask} from './response-event.ts';

/** The typed form of a ClientAction. */
export function actionOf(action: JsonObject): ClientAction {
  const name = chosen(action, actionNames);
  const body = name === undefined ? {} : (childOf(action, name) ?? {});
  switch (name) {
    case 'create_task':
      return {kind: 'create-task', task: taskOf(childOf(body, 'task') ?? {})};
    case 'add_messages_to_task':
      return {
        kind: 'add-messages',
        taskId: textOf(body, 'task_id'),
        messages: childrenOf(body, 'messages').map(messageOf),
      };
    case 'update_task_message':
      return {kind: 'update-message', ...updateOf(body)};
    case 'append_to_message_content':
      return {kind: 'append-content', ...updateOf(body)};
    case 'update_task_summary':
      return {kind: 'update-summary', taskId: textOf(body, 'task_id'), summary: textOf(body, 'summary')};
    case 'update_task_description':
      return {kind: 'update-description', taskId: textOf(body, 'task_id'), description: textOf(body, 'description')};
    case 'begin_transaction':
      return {kind: 'begin'};
    case 'commit_transaction':
      return {kind: 'commit'};
    case 'rollback_transaction':
      return {kind: 'rollback'};
    case 'move_messages_to_new_task':
      return {
        kind: 'move-messages',
        sourceTaskId: textOf(body, 'source_task_id'),
        newTask: taskOf(childOf(body, 'new_task') ?? {}),
        firstMessageId: textOf(body, 'first_message_id'),
        lastMessageId: textOf(body, 'last_message_id'),
        replacements: childrenOf(body, 'replacement_messages').map(messageOf),
      };
    default:
      return {kind: 'other', field: name ?? ''};
  }
}

export const actionNames = oneOf([
  'create_task',
  'add_messages_to_task',
  'update_task_message',
  'append_to_message_content',
  'show_suggestions',
  'update_task_summary',
  'update_task_description',
  'begin_transaction',
  'commit_transaction',
  'rollback_transaction',
  'start_new_conversation',
  'update_task_server_data',
  'move_messages_to_new_task',
]);

const updateOf = (body: JsonObject) => ({
  taskId: textOf(body, 'task_id'),
  message: messageOf(childOf(body, 'message') ?? {}),
  mask: maskOf(body),
});

/** The paths of a mask; JSON may write a mask as one text, with its names in camelCase. */
function maskOf(body: JsonObject): readonly string[] {
  const mask = valueOf(body, 'mask');
  if (typeof mask === 'string') return mask.split(',').filter(Boolean).map(snakeCase);
  return textsOf(childOf(body, 'mask') ?? {}, 'paths');
}

const taskOf = (task: JsonObject): ProtocolTask => ({
  id: textOf(task, 'id'),
  description: textOf(task, 'description'),
  parentTaskId: textOf(childOf(task, 'dependencies') ?? {}, 'parent_task_id'),
  summary: textOf(task, 'summary'),
  messages: childrenOf(task, 'messages').map(messageOf),
});
