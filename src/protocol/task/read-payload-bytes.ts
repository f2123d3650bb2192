import type {RawField} from '../../domain/task-payload.ts';
import type {PayloadPlace} from './payload-fields.ts';
import {meaningOf} from './payload-meaning.ts';
import {readTree} from './payload-tree.ts';
import type {PayloadRead} from './response-event.ts';
import {WireCursor, WireTrouble} from './wire-cursor.ts';

/** Reads the bytes of a payload; broken ones become a failure with the position of the trouble. */
export function readPayloadBytes(bytes: Uint8Array, place: PayloadPlace): PayloadRead {
  try {
    const {tree, said} = readTree(bytes, place);
    return {tag: 'ok', tree, meaning: meaningOf({tree, said}, place) ?? {kind: 'other', fields: fieldsOf(bytes)}};
  } catch (cause) {
    if (!(cause instanceof WireTrouble)) throw cause;
    return {tag: 'failed', position: cause.position, message: cause.message};
  }
}

function fieldsOf(bytes: Uint8Array): readonly RawField[] {
  const fields: RawField[] = [];
  const cursor = new WireCursor(bytes, {from: 0, to: bytes.length});
  while (cursor.next()) fields.push({number: cursor.number, bytes: bytes.subarray(cursor.start, cursor.after)});
  return fields;
}
