import type {ClientAction, PayloadRead, ProtocolMessage, ResponseEvent} from '../protocol/task/response-event.ts';
import {messagePayload} from '../protocol/task/told-todos.ts';

type FailedPayload = Extract<PayloadRead, {readonly tag: 'failed'}>;

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
