import type {JsonObject} from '../../../../src/base/json.ts';
import {todoId} from '../../../../src/domain/ids.ts';
import type {TaskItem, TaskPayload} from '../../../../src/domain/task-payload.ts';
import type {DecodedPayload} from '../../../../src/protocol/task/payload.ts';
import type {
  ClientAction,
  FinishReason,
  MessageBody,
  ProtocolMessage,
  ResponseEvent,
  TokenUsage,
} from '../../../../src/protocol/task/response-event.ts';

const unknown = {source: 'none'} as const;

export const init: ResponseEvent = {unknown, kind: 'init', conversationId: 'c', requestId: 'r', runId: ''};

/** An event of these actions. */
export const acts = (...actions: readonly ClientAction[]): ResponseEvent => ({
  unknown,
  kind: 'client-actions',
  actions,
});

export const finished = (reason: FinishReason = {kind: 'done'}, ...usage: readonly TokenUsage[]): ResponseEvent => ({
  unknown,
  kind: 'finished',
  reason,
  usage,
  contextUsage: 0,
});

export const message = (id: string, body: MessageBody): ProtocolMessage => ({id, taskId: 't', body});
export const says = (text: string): MessageBody => ({kind: 'agent-output', text});
export const thinks = (text: string): MessageBody => ({kind: 'reasoning', text});

export const add = (id: string, body: MessageBody): ClientAction => ({
  kind: 'add-messages',
  taskId: 't',
  messages: [message(id, body)],
});
export const update = (id: string, body: MessageBody, mask: readonly string[] = []): ClientAction => ({
  kind: 'update-message',
  taskId: 't',
  message: message(id, body),
  mask,
});
export const append = (id: string, body: MessageBody, mask: readonly string[] = []): ClientAction => ({
  kind: 'append-content',
  taskId: 't',
  message: message(id, body),
  mask,
});
export const createTask = (...messages: readonly ProtocolMessage[]): ClientAction => ({
  kind: 'create-task',
  task: {id: 't', description: 'A title', parentTaskId: '', summary: 'of old', messages},
});

export const begin: ClientAction = {kind: 'begin'};
export const commit: ClientAction = {kind: 'commit'};
export const rollback: ClientAction = {kind: 'rollback'};

const read = (meaning: TaskPayload): DecodedPayload => ({tag: 'ok', tree: {}, meaning});

export const item = (id: string, title = `title of ${id}`): TaskItem => ({id: todoId(id), title, description: ''});
export const snapshot = (pending: readonly TaskItem[], completed: readonly TaskItem[] = []): DecodedPayload =>
  read({kind: 'snapshot', pending, completed, running: []});
export const cleared: DecodedPayload = read({kind: 'cleared'});
export const running = (...ids: readonly string[]): DecodedPayload => read({kind: 'running', ids: ids.map(todoId)});
export const preamble: DecodedPayload = read({kind: 'other', fields: []});
export const unreadable: DecodedPayload = {tag: 'failed', position: 3, message: 'cut short'};

export const tells = (payload: DecodedPayload): MessageBody => ({kind: 'server-event', payload});
export const callsServer = (callId: string, payload: DecodedPayload): MessageBody => ({
  kind: 'tool-call',
  callId,
  call: {kind: 'server', payload},
});
export const serverResult = (callId: string, payload: DecodedPayload): MessageBody => ({
  kind: 'tool-result',
  callId,
  result: {kind: 'server', payload},
});
export const callsMcp = (callId: string, name: string, args: JsonObject): MessageBody => ({
  kind: 'tool-call',
  callId,
  call: {kind: 'mcp', name, args},
});
export const callsNative = (callId: string, name: string, args: JsonObject): MessageBody => ({
  kind: 'tool-call',
  callId,
  call: {kind: 'native', name, args},
});
