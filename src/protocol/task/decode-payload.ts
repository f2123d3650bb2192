import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {TaskPayload} from '../../domain/task-payload.ts';
import {readPayloadBytes} from './read-payload-bytes.ts';

/**
 * Reads the bytes of a frame: of a call's or an event's payload. A failure says in words what is wrong with the bytes and where;
 * nothing throws. Of several known fields the last one counts and a repeated one is merged, as protobuf has it for a oneof.
 * Unknown fields beside known ones are passed over; the frame itself is what is kept.
 */
export function decodePayload(raw: Uint8Array): Outcome<TaskPayload, string> {
  const read = readPayloadBytes(raw, 'call');
  return read.tag === 'ok' ? ok(read.meaning) : failed(`${read.message} at byte ${read.position}`);
}
