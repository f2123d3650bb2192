import {isJsonObject, type JsonObject} from '../../base/json.ts';
import {todoId} from '../../domain/ids.ts';
import type {TaskItem} from '../../domain/task-payload.ts';
import {readPayloadField} from './payload.ts';
import {
  objectField,
  objectListField,
  whichOneOf,
  numberField,
  oneOf,
  snakeCase,
  textField,
  textListField,
  fieldValue,
} from './record-fields.ts';
import type {
  ClientAction,
  FinishReason,
  MessageBody,
  ProtocolMessage,
  ProtocolTask,
  ProtocolToolCall,
  ProtocolToolResult,
  ResponseEvent,
  TodoOperation,
  TokenUsage,
  UnknownFields,
} from './response-event.ts';
import {messageJson, structJson, unknownFields} from './schema-json.ts';
import {messageType, oneOfNames} from './task-schema.ts';

/** The typed form of a ResponseEvent, from a decoded message or from JSON. Throws a `FieldTypeError` where a field is not its kind. */
export function decodeEvent(record: JsonObject, unknown: UnknownFields): ResponseEvent {
  const name = whichOneOf(record, eventNames);
  const body = name === undefined ? undefined : objectField(record, name);
  if (body === undefined) return {kind: 'other', unknown};
  switch (name) {
    case 'init':
      return {
        kind: 'init',
        conversationId: textField(body, 'conversation_id'),
        requestId: textField(body, 'request_id'),
        runId: textField(body, 'run_id'),
        unknown,
      };
    case 'client_actions':
      return {kind: 'client-actions', actions: actionsOf(body, unknown.source), unknown};
    default:
      return {
        kind: 'finished',
        reason: reasonOf(body),
        usage: objectListField(body, 'token_usage').map(usageOf),
        contextUsage: numberField(conversationUsage(body) ?? {}, 'context_window_usage'),
        unknown,
      };
  }
}

/** In JSON one object may hold several actions, one after the other; in bytes the last one counts, as of every oneof. */
const actionsOf = (body: JsonObject, source: UnknownFields['source']): readonly ClientAction[] =>
  objectListField(body, 'actions').flatMap(action => {
    const keys = source === 'json' ? Object.keys(action).filter(key => clientActionNames.has(key)) : [];
    return keys.length < 2 ? actionOf(action) : keys.map(key => actionOf({[key]: action[key] ?? null}));
  });

export const eventNames = oneOf(['init', 'client_actions', 'finished']);

/** Older writers of JSON have another name for the field. */
const conversationUsage = (body: JsonObject): JsonObject | undefined =>
  objectField(body, 'conversation_usage_metadata') ?? objectField(body, 'context_window_info');

/** A stream that says no reason is done. */
function reasonOf(body: JsonObject): FinishReason {
  const name = whichOneOf(body, reasonNames);
  switch (name) {
    case 'internal_error':
      return {kind: 'internal-error', message: textField(objectField(body, name) ?? {}, 'message')};
    case 'invalid_api_key': {
      const key = objectField(body, name) ?? {};
      return {kind: 'invalid-api-key', provider: providerIn(key), model: textField(key, 'model_name')};
    }
    case 'max_token_limit':
      return {kind: 'max-token-limit'};
    case 'quota_limit':
      return {kind: 'quota-limit'};
    case 'context_window_exceeded':
      return {kind: 'context-window-exceeded'};
    case 'llm_unavailable':
      return {kind: 'llm-unavailable'};
    case 'other':
      return {kind: 'other'};
    default:
      return {kind: 'done'};
  }
}

const reasonNames = oneOf([
  'other',
  'done',
  'max_token_limit',
  'quota_limit',
  'context_window_exceeded',
  'llm_unavailable',
  'internal_error',
  'invalid_api_key',
]);

/** Writers differ in whether the provider is a number or text; as text it is a field that the schema does not know. */
function providerIn(key: JsonObject): string {
  const kept = unknownFields(key)['1'];
  return providerOf(typeof kept === 'string' ? kept : textField(key, 'provider'));
}

/** `anthropic` of 1 and of `LLM_PROVIDER_ANTHROPIC`; a provider that is not known as it stands. */
const providerOf = (provider: string): string =>
  providers[Number(provider)] ?? provider.replace(/^LLM_PROVIDER_/u, '').toLowerCase();

const providers: readonly string[] = ['', 'anthropic', 'openai', 'google'];

const usageOf = (usage: JsonObject): TokenUsage => ({
  model: textField(usage, 'model_id'),
  input: numberField(usage, 'total_input'),
  output: numberField(usage, 'output'),
  cacheRead: numberField(usage, 'input_cache_read'),
  cacheWrite: numberField(usage, 'input_cache_write'),
  costInCents: numberField(usage, 'cost_in_cents'),
});

/** The typed form of a Message. */
const messageOf = (message: JsonObject): ProtocolMessage => ({
  id: textField(message, 'id'),
  taskId: textField(message, 'task_id'),
  body: bodyOf(message),
});

function bodyOf(message: JsonObject): MessageBody {
  const name = whichOneOf(message, bodyNames());
  const body = name === undefined ? {} : (objectField(message, name) ?? {});
  switch (name) {
    case 'user_query':
      return {kind: 'user-query', query: textField(body, 'query')};
    case 'agent_output':
      return {kind: 'agent-output', text: textField(body, 'text')};
    case 'agent_reasoning':
      return {kind: 'reasoning', text: textField(body, 'reasoning')};
    case 'tool_call':
      return {kind: 'tool-call', callId: textField(body, 'tool_call_id'), call: callOf(body)};
    case 'tool_call_result':
      return {kind: 'tool-result', callId: textField(body, 'tool_call_id'), result: resultOf(body)};
    case 'server_event':
      return {kind: 'server-event', payload: readPayloadField(fieldValue(body, 'payload'), 'event')};
    case 'update_todos':
      return {kind: 'update-todos', operation: operationOf(body)};
    default:
      return {kind: 'other', field: name ?? ''};
  }
}

function callOf(call: JsonObject): ProtocolToolCall {
  const name = whichOneOf(call, callNames()) ?? firstObject(call);
  const body = name === undefined ? {} : (objectField(call, name) ?? {});
  switch (name) {
    case 'server':
      return {kind: 'server', payload: readPayloadField(fieldValue(body, 'payload'), 'call')};
    case 'call_mcp_tool':
      return {kind: 'mcp', name: textField(body, 'name'), args: structJson(objectField(body, 'args') ?? {})};
    case undefined:
      return {kind: 'native', name: '', args: {}};
    default:
      return {kind: 'native', name: snakeCase(name), args: argsOf(name, body)};
  }
}

/** A tool that came after this schema was written; only JSON tells its name. */
const firstObject = (call: JsonObject): string | undefined => Object.keys(call).find(key => isJsonObject(call[key]));

function argsOf(name: string, body: JsonObject): JsonObject {
  const type = messageType('ToolCall').fields[name]?.resolvedType;
  return type !== null && type !== undefined && 'fields' in type ? messageJson(type, body) : body;
}

function resultOf(result: JsonObject): ProtocolToolResult {
  const name = whichOneOf(result, resultNames());
  if (name !== 'server') return {kind: 'other', field: name ?? ''};
  const body = objectField(result, name) ?? {};
  return {kind: 'server', payload: readPayloadField(fieldValue(body, 'serialized_result'), 'result')};
}

function operationOf(update: JsonObject): TodoOperation {
  const name = whichOneOf(update, operationNames);
  const body = name === undefined ? {} : (objectField(update, name) ?? {});
  switch (name) {
    case 'create_todo_list':
      return {kind: 'create', todos: objectListField(body, 'initial_todos').map(itemOf)};
    case 'update_pending_todos':
      return {kind: 'update-pending', todos: objectListField(body, 'updated_pending_todos').map(itemOf)};
    case 'mark_todos_completed':
      return {kind: 'mark-completed', ids: textListField(body, 'todo_ids').map(todoId)};
    default:
      return {kind: 'other'};
  }
}

const operationNames = oneOf(['create_todo_list', 'update_pending_todos', 'mark_todos_completed']);

const itemOf = (item: JsonObject): TaskItem => ({
  id: todoId(textField(item, 'id')),
  title: textField(item, 'title'),
  description: textField(item, 'description'),
});

const bodyNames = oneOfNames('Message', 'message');
const callNames = oneOfNames('ToolCall', 'tool');
const resultNames = oneOfNames('ToolCallResult', 'result');

/** The typed form of a ClientAction. */
function actionOf(action: JsonObject): ClientAction {
  const name = whichOneOf(action, clientActionNames);
  const body = name === undefined ? {} : (objectField(action, name) ?? {});
  switch (name) {
    case 'create_task':
      return {kind: 'create-task', task: taskOf(objectField(body, 'task') ?? {})};
    case 'add_messages_to_task':
      return {
        kind: 'add-messages',
        taskId: textField(body, 'task_id'),
        messages: objectListField(body, 'messages').map(messageOf),
      };
    case 'update_task_message':
      return {kind: 'update-message', ...updateOf(body)};
    case 'append_to_message_content':
      return {kind: 'append-content', ...updateOf(body)};
    case 'update_task_summary':
      return {kind: 'update-summary', taskId: textField(body, 'task_id'), summary: textField(body, 'summary')};
    case 'update_task_description':
      return {
        kind: 'update-description',
        taskId: textField(body, 'task_id'),
        description: textField(body, 'description'),
      };
    case 'begin_transaction':
      return {kind: 'begin'};
    case 'commit_transaction':
      return {kind: 'commit'};
    case 'rollback_transaction':
      return {kind: 'rollback'};
    case 'move_messages_to_new_task':
      return {
        kind: 'move-messages',
        sourceTaskId: textField(body, 'source_task_id'),
        newTask: taskOf(objectField(body, 'new_task') ?? {}),
        firstMessageId: textField(body, 'first_message_id'),
        lastMessageId: textField(body, 'last_message_id'),
        replacements: objectListField(body, 'replacement_messages').map(messageOf),
      };
    default:
      return {kind: 'other', field: name ?? ''};
  }
}

export const clientActionNames = oneOf([
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
  taskId: textField(body, 'task_id'),
  message: messageOf(objectField(body, 'message') ?? {}),
  mask: maskOf(body),
});

/** The paths of a mask; JSON may write a mask as one text, with its names in camelCase. */
function maskOf(body: JsonObject): readonly string[] {
  const mask = fieldValue(body, 'mask');
  if (typeof mask === 'string') return mask.split(',').filter(Boolean).map(snakeCase);
  return textListField(objectField(body, 'mask') ?? {}, 'paths');
}

const taskOf = (task: JsonObject): ProtocolTask => ({
  id: textField(task, 'id'),
  description: textField(task, 'description'),
  parentTaskId: textField(objectField(task, 'dependencies') ?? {}, 'parent_task_id'),
  summary: textField(task, 'summary'),
  messages: objectListField(task, 'messages').map(messageOf),
});
