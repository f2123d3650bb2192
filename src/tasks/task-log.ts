import {unreachable} from '../base/unreachable.ts';
import {
  todoChangeInMessage,
  todoChangeInPayload,
  messagePayload,
  MessageTodos,
  type TodoChange,
} from '../protocol/task/message-todos.ts';
import type {DecodedPayload} from '../protocol/task/payload.ts';
import {
  type ClientAction,
  fieldPath,
  maskCovers,
  type MessageBody,
  type ProtocolMessage,
  type ResponseEvent,
} from '../protocol/task/response-event.ts';
import {Transactions} from '../protocol/task/transactions.ts';
import type {TaskView} from './task-view.ts';

/** Folds a task-protocol stream into its todo list. */
export interface TaskLog {
  readonly view: TaskView;
  /** Applies the next event. The view is a new object only if the event changed something. */
  applyEvent(event: ResponseEvent): TaskView;
  /** Applies a payload that came without the event around it. */
  applyPayload(payload: DecodedPayload): TaskView;
}

/** Makes a log without open transactions. A transaction that is rolled back leaves no trace. */
export function makeTaskLog(): TaskLog {
  const todos = new MessageTodos();
  const transactions = new Transactions([todos]);

  function takeAction(action: ClientAction): void {
    switch (action.kind) {
      case 'create-task':
        action.task.messages.forEach(take);
        break;
      case 'add-messages':
        action.messages.forEach(take);
        break;
      case 'update-message': {
        // An upsert. For a known message, only the fields in the mask have changed.
        const {message, mask} = action;
        if (!todos.hasApplied(message.id) || maskCovers(mask, fieldPath(message.body))) take(message);
        break;
      }
      case 'move-messages':
        action.newTask.messages.forEach(take);
        action.replacements.forEach(take);
        break;
      case 'begin':
        transactions.begin();
        break;
      case 'commit':
      case 'rollback':
        transactions.end(action.kind);
        break;
      // Appending only concerns text. The message it extends is already applied, and nothing is appended to an unknown message.
      case 'append-content':
      case 'update-summary':
      case 'update-description':
      case 'other':
        break;
      default:
        unreachable(action);
    }
  }

  const take = ({id, body}: ProtocolMessage): void => tell(id, todoChangeInMessage(body));

  function tell(messageId: string, news: TodoChange | undefined): void {
    if (news !== undefined) todos.apply(messageId, news);
  }

  return {
    get view() {
      return todos.list;
    },
    applyPayload(payload) {
      tell('', todoChangeInPayload(payload));
      return todos.list;
    },
    applyEvent(event) {
      if (event.kind === 'init') transactions.commitAll();
      if (event.kind === 'client-actions') event.actions.forEach(takeAction);
      return todos.list;
    },
  };
}

/**
 * Makes events from payloads, each where the protocol puts it: 11 and 9 in the call of a server tool, 2 in a server event. The payload that
 * begins a list is added as a message. Later payloads come as updates, which also add. Ids are counted, so the same payloads give the same
 * events.
 */
export function makePayloadEvents(): (payloads: readonly DecodedPayload[]) => ResponseEvent {
  let messages = 0;
  let isListed = false;

  function actionOf(payload: DecodedPayload): ClientAction {
    messages += 1;
    const message: ProtocolMessage = {id: `message-${messages}`, taskId, body: bodyOf(payload, `call-${messages}`)};
    const kind = payload.tag === 'ok' ? payload.meaning.kind : 'other';
    const isUpdate = isListed && (kind === 'snapshot' || kind === 'running');
    if (kind === 'snapshot') isListed = true;
    if (kind === 'cleared') isListed = false;
    return isUpdate
      ? {kind: 'update-message', taskId, message, mask: [message.body.kind.replace('-', '_')]}
      : {kind: 'add-messages', taskId, messages: [message]};
  }

  return payloads => ({kind: 'client-actions', unknown: {source: 'none'}, actions: payloads.map(actionOf)});
}

const taskId = 'task-1';

function bodyOf(payload: DecodedPayload, callId: string): MessageBody {
  const kind = payload.tag === 'ok' ? payload.meaning.kind : 'other';
  switch (kind) {
    case 'snapshot':
      return {kind: 'server-event', payload};
    case 'cleared':
    case 'running':
    case 'other':
      return {kind: 'tool-call', callId, call: {kind: 'server', payload}};
    default:
      return unreachable(kind);
  }
}

type FailedPayload = Extract<DecodedPayload, {readonly tag: 'failed'}>;

/** Returns the payloads of an event that could not be read, in order. */
export function failedPayloads(event: ResponseEvent): readonly FailedPayload[] {
  if (event.kind !== 'client-actions') return none;
  let found: FailedPayload[] | undefined;
  // A loop makes no list for the usual event, which has no such payload.
  for (const action of event.actions) {
    for (const {body} of messagesOf(action)) {
      const payload = messagePayload(body);
      if (payload?.tag === 'failed') (found ??= []).push(payload);
    }
  }
  return found ?? none;
}

const none: readonly FailedPayload[] = [];

function messagesOf(action: ClientAction): readonly ProtocolMessage[] {
  switch (action.kind) {
    case 'create-task':
      return action.task.messages;
    case 'add-messages':
      return action.messages;
    case 'update-message':
    case 'append-content':
      return [action.message];
    case 'move-messages':
      return [...action.newTask.messages, ...action.replacements];
    default:
      return [];
  }
}
