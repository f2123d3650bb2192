import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import {payloadText} from './payload.ts';
import type {
  ClientAction,
  FinishReason,
  MessageBody,
  DecodedPayload,
  ProtocolMessage,
  ProtocolTask,
  ProtocolToolCall,
  ResponseEvent,
  TodoOperation,
} from './response-event.ts';
import {messageJson} from './schema-json.ts';
import {messageType} from './task-schema.ts';

/** An event in the names of the schema: as it was read, where it was read, so that nothing of it is lost. */
export function eventRecord(event: ResponseEvent): JsonObject {
  switch (event.unknown.source) {
    case 'json':
      return event.unknown.value;
    case 'bytes':
      return isJsonObject(event.unknown.message) ? event.unknown.message : {};
    case 'none':
      return madeRecord(event);
    default:
      return unreachable(event.unknown);
  }
}

function madeRecord(event: ResponseEvent): JsonObject {
  switch (event.kind) {
    case 'init': {
      const {conversationId, requestId, runId} = event;
      return {init: {conversation_id: conversationId, request_id: requestId, run_id: runId}};
    }
    case 'client-actions':
      return {client_actions: {actions: event.actions.map(actionRecord)}};
    case 'finished':
      return {
        finished: {
          ...reasonRecord(event.reason),
          token_usage: event.usage.map(usage => ({
            model_id: usage.model,
            total_input: usage.input,
            output: usage.output,
            input_cache_read: usage.cacheRead,
            input_cache_write: usage.cacheWrite,
            cost_in_cents: usage.costInCents,
          })),
          ...(event.contextUsage === 0
            ? {}
            : {conversation_usage_metadata: {context_window_usage: event.contextUsage}}),
        },
      };
    case 'other':
      return {};
    default:
      return unreachable(event);
  }
}

function reasonRecord(reason: FinishReason): JsonObject {
  switch (reason.kind) {
    case 'internal-error':
      return {internal_error: {message: reason.message}};
    case 'invalid-api-key':
      return {invalid_api_key: {provider: `LLM_PROVIDER_${reason.provider.toUpperCase()}`, model_name: reason.model}};
    case 'done':
    case 'other':
    case 'max-token-limit':
    case 'quota-limit':
    case 'context-window-exceeded':
    case 'llm-unavailable':
      return {[reason.kind.replaceAll('-', '_')]: {}};
    default:
      return unreachable(reason);
  }
}

function actionRecord(action: ClientAction): JsonObject {
  switch (action.kind) {
    case 'create-task':
      return {create_task: {task: taskRecord(action.task)}};
    case 'add-messages':
      return {add_messages_to_task: {task_id: action.taskId, messages: action.messages.map(messageRecord)}};
    case 'update-message':
      return {update_task_message: updateRecord(action)};
    case 'append-content':
      return {append_to_message_content: updateRecord(action)};
    case 'update-summary':
      return {update_task_summary: {task_id: action.taskId, summary: action.summary}};
    case 'update-description':
      return {update_task_description: {task_id: action.taskId, description: action.description}};
    case 'begin':
    case 'commit':
    case 'rollback':
      return {[`${action.kind}_transaction`]: {}};
    case 'move-messages':
      return {
        move_messages_to_new_task: {
          source_task_id: action.sourceTaskId,
          new_task: taskRecord(action.newTask),
          first_message_id: action.firstMessageId,
          last_message_id: action.lastMessageId,
          replacement_messages: action.replacements.map(messageRecord),
        },
      };
    case 'other':
      return emptyField(action.field);
    default:
      return unreachable(action);
  }
}

const updateRecord = (action: ClientAction & {readonly kind: 'update-message' | 'append-content'}): JsonObject => ({
  task_id: action.taskId,
  message: messageRecord(action.message),
  mask: {paths: action.mask},
});

const taskRecord = ({id, description, parentTaskId, summary, messages}: ProtocolTask): JsonObject => ({
  id,
  description,
  ...(parentTaskId === '' ? {} : {dependencies: {parent_task_id: parentTaskId}}),
  summary,
  messages: messages.map(messageRecord),
});

const messageRecord = ({id, taskId, body}: ProtocolMessage): JsonObject => ({
  id,
  ...(taskId === '' ? {} : {task_id: taskId}),
  ...bodyRecord(body),
});

function bodyRecord(body: MessageBody): JsonObject {
  switch (body.kind) {
    case 'user-query':
      return {user_query: {query: body.query}};
    case 'agent-output':
      return {agent_output: {text: body.text}};
    case 'reasoning':
      return {agent_reasoning: {reasoning: body.text}};
    case 'tool-call':
      return {tool_call: {tool_call_id: body.callId, ...callRecord(body.call)}};
    case 'tool-result':
      return {
        tool_call_result: {
          tool_call_id: body.callId,
          ...(body.result.kind === 'server'
            ? {server: {serialized_result: payloadText(body.result.payload)}}
            : emptyField(body.result.field)),
        },
      };
    case 'server-event':
      return {server_event: payloadRecord(body.payload)};
    case 'update-todos':
      return {update_todos: operationRecord(body.operation)};
    case 'other':
      return emptyField(body.field);
    default:
      return unreachable(body);
  }
}

function callRecord(call: ProtocolToolCall): JsonObject {
  switch (call.kind) {
    case 'server':
      return {server: payloadRecord(call.payload)};
    case 'mcp':
      return {call_mcp_tool: {name: call.name, args: call.args}};
    case 'native':
      return call.name === '' ? {} : {[call.name]: call.args};
    default:
      return unreachable(call);
  }
}

const payloadRecord = (payload: DecodedPayload): JsonObject => ({payload: payloadText(payload)});

function operationRecord(operation: TodoOperation): JsonObject {
  switch (operation.kind) {
    case 'create':
      return {create_todo_list: {initial_todos: operation.todos.map(item => ({...item}))}};
    case 'update-pending':
      return {update_pending_todos: {updated_pending_todos: operation.todos.map(item => ({...item}))}};
    case 'mark-completed':
      return {mark_todos_completed: {todo_ids: operation.ids}};
    case 'other':
      return {};
    default:
      return unreachable(operation);
  }
}

const emptyField = (name: string): {readonly [key: string]: Json} => (name === '' ? {} : {[name]: {}});

/** An event as JSON in the protocol's names, its payloads decoded, with what the typed form does not say. */
export const eventJson = (event: ResponseEvent): JsonObject =>
  messageJson(messageType('ResponseEvent'), eventRecord(event));
