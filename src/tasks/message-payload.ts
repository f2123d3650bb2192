import type {MessageBody, PayloadRead} from '../protocol/task/response-event.ts';

/** The opaque payload of a message; `undefined` where it has none. */
export function messagePayload(body: MessageBody): PayloadRead | undefined {
  switch (body.kind) {
    case 'server-event':
      return body.payload;
    case 'tool-call':
      return body.call.kind === 'server' ? body.call.payload : undefined;
    case 'tool-result':
      return body.result.kind === 'server' ? body.result.payload : undefined;
    default:
      return undefined;
  }
}
