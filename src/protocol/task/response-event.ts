import {Message} from 'protobufjs';
import {isJsonObject, type JsonObject} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type TodoId, todoId} from '../../domain/ids.ts';
import {type DecodedPayload, payloadText, readPayloadField} from './payload.ts';
import {
  fieldValue,
  listOfMessages,
  marker,
  message,
  number,
  numberField,
  objectField,
  objectListField,
  oneOf,
  type Part,
  text,
  textField,
  textListField,
  unlessEmpty,
  type ValueOf,
  variant,
  whichOneOf,
  within,
} from './record-fields.ts';
import {messageJson, structJson, unknownFields} from './schema-json.ts';
import {messageType, oneOfNames, type PayloadPlace, snakeCase} from './task-schema.ts';

/*
 * The messages of the protocol that weft reads. Each is described once: types, readers and writers come from the same
 * tables. As in protobuf, absent text is `''`.
 */

const payload = (name: string, place: PayloadPlace): Part<DecodedPayload> => ({
  read: of => readPayloadField(fieldValue(of, name), place),
  write: value => ({[name]: payloadText(value)}),
});

/** A message that weft does not read. `field` is `''` if the schema does not define it. */
function other(field: string, of: JsonObject) {
  if (field !== '') objectField(of, field);
  return {kind: 'other', field} as const;
}

const todoItem = message({
  id: {read: of => todoId(textField(of, 'id')), write: id => ({id})} satisfies Part<TodoId>,
  title: text('title'),
  description: text('description'),
});

const todoIds: Part<readonly TodoId[]> = {
  read: of => textListField(of, 'todo_ids').map(todoId),
  write: ids => ({todo_ids: ids}),
};

export type TodoOperation = ValueOf<typeof todoOperation>;
const todoOperation = oneOf(
  ['UpdateTodos', 'operation'],
  {
    create_todo_list: variant('create', {todos: listOfMessages('initial_todos', todoItem)}),
    update_pending_todos: variant('update-pending', {todos: listOfMessages('updated_pending_todos', todoItem)}),
    mark_todos_completed: variant('mark-completed', {ids: todoIds}),
  },
  () => ({kind: 'other'}) as const,
);

export type ProtocolToolCall =
  | {readonly kind: 'server'; readonly payload: DecodedPayload}
  | {readonly kind: 'mcp'; readonly name: string; readonly args: JsonObject}
  /** `name` is the name of the field, such as `run_shell_command`; `''` for a call that the schema does not define. */
  | {readonly kind: 'native'; readonly name: string; readonly args: JsonObject};

const callNames = oneOfNames('ToolCall', 'tool');
const serverPayload = payload('payload', 'call');

const toolCall: Part<ProtocolToolCall> = {
  read(call) {
    // A tool that is newer than this schema. Only JSON contains its name.
    const name = whichOneOf(call, callNames()) ?? Object.keys(call).find(key => isJsonObject(call[key]));
    const body = name === undefined ? {} : (objectField(call, name) ?? {});
    switch (name) {
      case 'server':
        return {kind: 'server', payload: serverPayload.read(body)};
      case 'call_mcp_tool':
        return {kind: 'mcp', name: textField(body, 'name'), args: structJson(objectField(body, 'args') ?? {})};
      case undefined:
        return {kind: 'native', name: '', args: {}};
      default:
        return {kind: 'native', name: snakeCase(name), args: argsOf(name, body)};
    }
  },
  write(call) {
    switch (call.kind) {
      case 'server':
        return {server: serverPayload.write(call.payload)};
      case 'mcp':
        return {call_mcp_tool: {name: call.name, args: call.args}};
      case 'native':
        return call.name === '' ? {} : {[call.name]: call.args};
      default:
        return unreachable(call);
    }
  },
};

function argsOf(name: string, body: JsonObject): JsonObject {
  const type = messageType('ToolCall').fields[name]?.resolvedType;
  return type !== null && type !== undefined && 'fields' in type ? messageJson(type, body) : body;
}

const toolResult = oneOf(
  ['ToolCallResult', 'result'],
  {server: variant('server', {payload: payload('serialized_result', 'result')})},
  field => ({kind: 'other', field}) as const,
);

export type MessageBody = ValueOf<typeof messageBody>;
const messageBody = oneOf(
  ['Message', 'message'],
  {
    user_query: variant('user-query', {query: text('query')}),
    agent_output: variant('agent-output', {text: text('text')}),
    agent_reasoning: variant('reasoning', {text: text('reasoning')}),
    tool_call: variant('tool-call', {callId: text('tool_call_id'), call: toolCall}),
    tool_call_result: variant('tool-result', {callId: text('tool_call_id'), result: toolResult}),
    server_event: variant('server-event', {payload: payload('payload', 'event')}),
    update_todos: variant('update-todos', {operation: todoOperation}),
  },
  other,
);

export type ProtocolMessage = ValueOf<typeof protocolMessage>;
const protocolMessage = message({id: text('id'), taskId: unlessEmpty(text('task_id')), body: messageBody});

/** `parentTaskId` is `''` for a top-level task. */
const protocolTask = message({
  id: text('id'),
  description: text('description'),
  parentTaskId: unlessEmpty(within('dependencies', text('parent_task_id'))),
  summary: text('summary'),
  messages: listOfMessages('messages', protocolMessage),
});

/** The paths of a mask. JSON may write a mask as one text, with camelCase names. */
const maskPaths: Part<readonly string[]> = {
  read(of) {
    const value = fieldValue(of, 'mask');
    if (typeof value === 'string') return value.split(',').filter(Boolean).map(snakeCase);
    return textListField(objectField(of, 'mask') ?? {}, 'paths');
  },
  write: paths => ({mask: {paths}}),
};

const taskId = text('task_id');
const update = {taskId, message: within('message', protocolMessage), mask: maskPaths};

export type ClientAction = ValueOf<typeof clientAction>;
const clientAction = oneOf(
  ['ClientAction', 'action'],
  {
    create_task: variant('create-task', {task: within('task', protocolTask)}),
    add_messages_to_task: variant('add-messages', {taskId, messages: listOfMessages('messages', protocolMessage)}),
    /** An upsert: an unknown message is added whole, and in a known one, the paths of `mask` are replaced. */
    update_task_message: variant('update-message', update),
    /** Appends strings of `message` to those at the paths of `mask`. */
    append_to_message_content: variant('append-content', update),
    update_task_summary: variant('update-summary', {taskId, summary: text('summary')}),
    update_task_description: variant('update-description', {taskId, description: text('description')}),
    begin_transaction: variant('begin', {}),
    commit_transaction: variant('commit', {}),
    rollback_transaction: variant('rollback', {}),
    move_messages_to_new_task: variant('move-messages', {
      sourceTaskId: text('source_task_id'),
      newTask: within('new_task', protocolTask),
      firstMessageId: text('first_message_id'),
      lastMessageId: text('last_message_id'),
      replacements: listOfMessages('replacement_messages', protocolMessage),
    }),
  },
  other,
);

export const clientActionNames = oneOfNames('ClientAction', 'action');

/** In JSON, one object may hold several actions in order. In bytes, the last one counts, as in every oneof. */
const actions: Part<readonly ClientAction[]> = {
  read: of =>
    objectListField(of, 'actions').flatMap(action => {
      const keys = Object.keys(action);
      if (keys.length < 2 || action instanceof Message) return clientAction.read(action);
      const named = keys.filter(key => clientActionNames().has(key));
      return named.length < 2
        ? clientAction.read(action)
        : named.map(key => clientAction.read({[key]: action[key] ?? null}));
    }),
  write: made => ({actions: made.map(action => clientAction.write(action))}),
};

/** Reads a provider: 1 and `LLM_PROVIDER_ANTHROPIC` become `anthropic`. An unknown provider keeps its name. */
const provider: Part<string> = {
  read(key) {
    // Some writers send the provider as a number and some as text. Text is a field that the schema does not define.
    const kept = unknownFields(key)['1'];
    const name = typeof kept === 'string' ? kept : textField(key, 'provider');
    return providers[Number(name)] ?? name.replace(/^LLM_PROVIDER_/u, '').toLowerCase();
  },
  write: name => ({provider: `LLM_PROVIDER_${name.toUpperCase()}`}),
};

const providers: readonly string[] = ['', 'anthropic', 'openai', 'google'];

export type FinishReason = ValueOf<typeof finishReason>;
const finishReason = oneOf(
  ['StreamFinished', 'reason'],
  {
    done: marker('done'),
    other: marker('other'),
    max_token_limit: marker('max-token-limit'),
    quota_limit: marker('quota-limit'),
    context_window_exceeded: marker('context-window-exceeded'),
    llm_unavailable: marker('llm-unavailable'),
    internal_error: variant('internal-error', {message: text('message')}),
    invalid_api_key: variant('invalid-api-key', {provider, model: text('model_name')}),
  },
  // A stream that ends without a reason is done.
  () => ({kind: 'done'}) as const,
);

export type TokenUsage = ValueOf<typeof tokenUsage>;
const tokenUsage = message({
  model: text('model_id'),
  input: number('total_input'),
  output: number('output'),
  cacheRead: number('input_cache_read'),
  cacheWrite: number('input_cache_write'),
  costInCents: number('cost_in_cents'),
});

/** The used share of the model's context, from 0 to 1; 0 if it is not reported. Older JSON uses another name for the field. */
const contextUsage: Part<number> = {
  read(of) {
    const usage = objectField(of, 'conversation_usage_metadata') ?? objectField(of, 'context_window_info');
    return numberField(usage ?? {}, 'context_window_usage');
  },
  write: (used): JsonObject => (used === 0 ? {} : {conversation_usage_metadata: {context_window_usage: used}}),
};

const eventContent = oneOf(
  ['ResponseEvent', 'type'],
  {
    init: variant('init', {
      conversationId: text('conversation_id'),
      requestId: text('request_id'),
      runId: text('run_id'),
    }),
    client_actions: variant('client-actions', {actions}),
    finished: variant('finished', {
      reason: finishReason,
      usage: listOfMessages('token_usage', tokenUsage),
      contextUsage,
    }),
  },
  () => ({kind: 'other'}) as const,
);

export const eventNames = oneOfNames('ResponseEvent', 'type');

/**
 * One event of a task-protocol stream, in whatever form it arrived. `unknown` keeps everything that the typed form
 * leaves out, so that encoding restores it.
 */
export type ResponseEvent = {readonly unknown: UnknownFields} & ValueOf<typeof eventContent>;

/** The message that an event was read from; `none` for an event that weft created. */
export type UnknownFields =
  | {readonly source: 'none'}
  | {readonly source: 'json'; readonly value: JsonObject}
  | {readonly source: 'bytes'; readonly message: object};

/** Decodes a ResponseEvent from a decoded message or from JSON. Throws a `FieldTypeError` if a field has the wrong type. */
export const decodeEvent = (record: JsonObject, unknown: UnknownFields): ResponseEvent =>
  Object.assign(eventContent.read(record), {unknown});

/** Returns an event in the names of the schema. An event that was read is returned unchanged, so that nothing is lost. */
export function eventRecord(event: ResponseEvent): JsonObject {
  switch (event.unknown.source) {
    case 'json':
      return event.unknown.value;
    case 'bytes':
      return isJsonObject(event.unknown.message) ? event.unknown.message : {};
    case 'none':
      return eventContent.write(event);
    default:
      return unreachable(event.unknown);
  }
}

/** Returns an event as JSON in the protocol's names, with decoded payloads and unknown fields. */
export const eventJson = (event: ResponseEvent): JsonObject =>
  messageJson(messageType('ResponseEvent'), eventRecord(event));

/**
 * True if an update by `mask` affects `path`, a field of a message in snake_case. The mask may name the field, a
 * parent or a child. An empty mask affects everything. Masks use snake_case or camelCase.
 */
export function maskCovers(mask: readonly string[], path: string): boolean {
  if (mask.length === 0 || mask.includes(path)) return true;
  const wanted = plain(path);
  return mask.some(entry => {
    const named = plain(entry);
    return named === '*' || isWithin(wanted, named) || isWithin(named, wanted);
  });
}

const plain = (path: string): string => path.trim().replaceAll('_', '').toLowerCase();

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);

/** Returns the field that holds a message's content; `''` if updates of it are not handled. */
export function fieldPath(body: MessageBody): string {
  switch (body.kind) {
    case 'agent-output':
      return 'agent_output.text';
    case 'reasoning':
      return 'agent_reasoning.reasoning';
    case 'tool-call':
      return body.call.kind === 'server' ? 'tool_call.server.payload' : 'tool_call';
    case 'tool-result':
      return 'tool_call_result.server.serialized_result';
    case 'server-event':
      return 'server_event.payload';
    case 'update-todos':
      return 'update_todos';
    case 'user-query':
    case 'other':
      return '';
    default:
      return unreachable(body);
  }
}
