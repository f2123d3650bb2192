import {Writer} from 'protobufjs/minimal.js';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {bytesOfBase64} from './base64.ts';
import {deepestNesting, wireType} from './wire-cursor.ts';

/**
 * The bytes of a payload in the form with numbers as keys: the way back from `readTree`, as far as the form tells. Numbers become
 * varints, text (also of digits) text. What has no place in a message, such as a key that is no number, is left out.
 */
export function encodeTree(tree: JsonObject): Uint8Array {
  const writer = new Writer();
  writeMessage(writer, tree, 0);
  return writer.finish();
}

function writeMessage(writer: Writer, tree: JsonObject, depth: number): void {
  if (depth >= deepestNesting) return;
  for (const [key, value] of Object.entries(tree)) {
    const number = Number(key);
    if (!Number.isInteger(number) || number < 1 || number > largestField) continue;
    for (const one of Array.isArray(value) ? value : [value]) writeField(writer, {number, value: one, depth});
  }
}

const largestField = 0x1f_ff_ff_ff;

function writeField(
  writer: Writer,
  field: {readonly number: number; readonly value: Json; readonly depth: number},
): void {
  const {number, value, depth} = field;
  const tag = (type: number): Writer => writer.uint32(((number << 3) | type) >>> 0);
  if (typeof value === 'string') tag(wireType.lengthDelimited).string(value.toWellFormed());
  else if (typeof value === 'number' && Number.isSafeInteger(value)) tag(wireType.varint).int64(value);
  else if (typeof value === 'number') tag(wireType.fixed64).double(value);
  else if (typeof value === 'boolean') tag(wireType.varint).bool(value);
  else if (isJsonObject(value)) {
    const raw = typeof value['bytes'] === 'string' ? bytesOfBase64(value['bytes']) : undefined;
    if (raw?.tag === 'ok') tag(wireType.lengthDelimited).bytes(raw.value);
    else {
      tag(wireType.lengthDelimited).fork();
      writeMessage(writer, value, depth + 1);
      writer.ldelim();
    }
  }
}
