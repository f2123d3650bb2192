import {isJsonObject, type JsonObject} from '../../base/json.ts';
import {todoId} from '../../domain/ids.ts';
import type {TaskItem} from '../../domain/task-payload.ts';
import {readPayload} from './read-payload.ts';
import {chosen, childOf, childrenOf, oneOf, snakeCase, textOf, textsOf, valueOf} from './record-fields.ts';
import type {
  MessageBody,
  ProtocolMessage,
  ProtocolToolCall,
  ProtocolToolResult,
  TodoOperation,
} from './response-event.ts';
import {jsonOf} from './schema-json.ts';
import {structJson} from './struct-json.ts';
import {messageType, namesIn} from './task-schema.ts';

/** The typed form of a Message. */
export const messageOf = (message: JsonObject): ProtocolMessage => ({
  id: textOf(message, 'id'),
  taskId: textOf(message, 'task_id'),
  body: bodyOf(message),
});

function bodyOf(message: JsonObject): MessageBody {
  const name = chosen(message, bodyNames());
  const body = name === undefined ? {} : (childOf(message, name) ?? {});
  switch (name) {
    case 'user_query':
      return {kind: 'user-query', query: textOf(body, 'query')};
    case 'agent_output':
      return {kind: 'agent-output', text: textOf(body, 'text')};
    case 'agent_reasoning':
      return {kind: 'reasoning', text: textOf(body, 'reasoning')};
    case 'tool_call':
      return {kind: 'tool-call', callId: textOf(body, 'tool_call_id'), call: callOf(body)};
    case 'tool_call_result':
      return {kind: 'tool-result', callId: textOf(body, 'tool_call_id'), result: resultOf(body)};
    case 'server_event':
      return {kind: 'server-event', payload: readPayload(valueOf(body, 'payload'), 'event')};
    case 'update_todos':
      return {kind: 'update-todos', operation: operationOf(body)};
    default:
      return {kind: 'other', field: name ?? ''};
  }
}

function callOf(call: JsonObject): ProtocolToolCall {
  const name = chosen(call, callNames()) ?? firstObject(call);
  const body = name === undefined ? {} : (childOf(call, name) ?? {});
  switch (name) {
    case 'server':
      return {kind: 'server', payload: readPayload(valueOf(body, 'payload'), 'call')};
    case 'call_mcp_tool':
      return {kind: 'mcp', name: textOf(body, 'name'), args: structJson(childOf(body, 'args') ?? {})};
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
  return type !== null && type !== undefined && 'fields' in type ? jsonOf(type, body) : body;
}

function resultOf(result: JsonObject): ProtocolToolResult {
  const name = chosen(result, resultNames());
  if (name !== 'server') return {kind: 'other', field: name ?? ''};
  const body = childOf(result, name) ?? {};
  return {kind: 'server', payload: readPayload(valueOf(body, 'serialized_result'), 'result')};
}

function operationOf(update: JsonObject): TodoOperation {
  const name = chosen(update, operationNames);
  const body = name === undefined ? {} : (childOf(update, name) ?? {});
  switch (name) {
    case 'create_todo_list':
      return {kind: 'create', todos: childrenOf(body, 'initial_todos').map(itemOf)};
    case 'update_pending_todos':
      return {kind: 'update-pending', todos: childrenOf(body, 'updated_pending_todos').map(itemOf)};
    case 'mark_todos_completed':
      return {kind: 'mark-completed', ids: textsOf(body, 'todo_ids').map(todoId)};
    default:
      return {kind: 'other'};
  }
}

const operationNames = oneOf(['create_todo_list', 'update_pending_todos', 'mark_todos_completed']);

const itemOf = (item: JsonObject): TaskItem => ({
  id: todoId(textOf(item, 'id')),
  title: textOf(item, 'title'),
  description: textOf(item, 'description'),
});

const bodyNames = namesIn('Message', 'message');
const callNames = namesIn('ToolCall', 'tool');
const resultNames = namesIn('ToolCallResult', 'result');
