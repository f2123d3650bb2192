import type {ClientAction, PayloadRead, ProtocolMessage, ResponseEvent} from '../protocol/task/response-event.ts';
import {messagePayload} from './message-payload.ts';

type FailedPayload = Extract<PayloadRead, {readonly tag: 'failed'}>;

/** The payloads of an event that could not be read, in order. */
export const failedPayloads = (event: ResponseEvent): readonly FailedPayload[] =>
  event.kind === 'client-actions'
    ? event.actions.flatMap(messagesOf).flatMap(({body}) => {
        const payload = messagePayload(body);
        return payload?.tag === 'failed' ? payload : [];
      })
    : [];

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
