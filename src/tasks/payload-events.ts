import {unreachable} from '../base/unreachable.ts';
import type {
  ClientAction,
  MessageBody,
  PayloadRead,
  ProtocolMessage,
  ResponseEvent,
} from '../protocol/task/response-event.ts';

/**
 * Makes events of payloads, each in the place where the protocol has it: 11 and 9 in the call of a server tool, 2 in a server
 * event; what begins a list is added as a message, what goes on with it comes as an update, which adds it too. Ids are counted,
 * so that the same payloads give the same events.
 */
export function makePayloadEvents(): (payloads: readonly PayloadRead[]) => ResponseEvent {
  let messages = 0;
  let isListed = false;

  function actionOf(payload: PayloadRead): ClientAction {
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

function bodyOf(payload: PayloadRead, callId: string): MessageBody {
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
