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

/** The fold of a task-protocol stream to its todo list. */
export interface TaskLog {
  readonly view: TaskView;
  /** Takes the next event; the view is another object only where the event changed something. */
  applyEvent(event: ResponseEvent): TaskView;
  /** Takes a payload that came by itself, without the event around it. */
  applyPayload(payload: DecodedPayload): TaskView;
}

/** A transaction that is rolled back leaves neither list nor memory behind; a new stream has none open. */
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
        // An upsert: of a message that is known, only what the mask names has changed.
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
      // Appending is for text. What it appends to has been heard, and nothing is appended to a message that is not known.
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
 * Makes events of payloads, each in the place where the protocol has it: 11 and 9 in the call of a server tool, 2 in a server
 * event; what begins a list is added as a message, what goes on with it comes as an update, which adds it too. Ids are counted,
 * so that the same payloads give the same events.
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

/** The payloads of an event that could not be read, in order. */
export function failedPayloads(event: ResponseEvent): readonly FailedPayload[] {
  if (event.kind !== 'client-actions') return none;
  let found: FailedPayload[] | undefined;
  // In loops, for most events have none and this is asked of each.
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
