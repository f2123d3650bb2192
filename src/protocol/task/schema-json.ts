import {Enum, Message, Type, type Field} from 'protobufjs';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {base64Of} from './base64.ts';
import type {PayloadPlace} from './payload-fields.ts';
import {readTree} from './payload-tree.ts';
import {readPayload} from './read-payload.ts';
import {camelCase} from './record-fields.ts';
import {structJson} from './struct-json.ts';
import {WireTrouble} from './wire-cursor.ts';

/**
 * A message as JSON in the names of the schema, whether it was decoded from bytes or is JSON that came in: opaque payloads are
 * objects with field numbers as keys, and so are fields the schema does not know. What cannot be read stays as it is.
 */
export function jsonOf(type: Type, message: JsonObject): JsonObject {
  const json: {[key: string]: Json} = unknownFields(message);
  // A decoded message has a list, empty, for each field that can be one.
  const hasEmptyLists = message instanceof Message;
  for (const key of Object.keys(message)) {
    const value = message[key] ?? null;
    const field = fieldOf(type, key);
    if (field === undefined) json[key] = value;
    else if (value !== null && !(hasEmptyLists && isEmptyList(value))) json[field.name] = valueJson(field, value);
  }
  return json;
}

const isEmptyList = (value: Json): boolean => Array.isArray(value) && value.length === 0;

/** The field of a name in either spelling. */
export function fieldOf(type: Type, key: string): Field | undefined {
  let fields = fieldsByName.get(type);
  if (fields === undefined) {
    fields = new Map(
      type.fieldsArray.flatMap(field => [
        [field.name, field],
        [camelCase(field.name), field],
      ]),
    );
    fieldsByName.set(type, fields);
  }
  return fields.get(key);
}

const fieldsByName = new WeakMap<Type, Map<string, Field>>();

function valueJson(field: Field, value: unknown): Json {
  if (Array.isArray(value)) return value.map(one => oneJson(field, one));
  const one = oneJson(field, value);
  return field.repeated ? [one] : one;
}

function oneJson(field: Field, value: unknown): Json {
  const {resolvedType} = field;
  if (typeof value === 'string') return payloadJson(field, value);
  if (value instanceof Uint8Array) return base64Of(value);
  if (resolvedType instanceof Enum && typeof value === 'number') return resolvedType.valuesById[value] ?? value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (!isJsonObject(value)) return null;
  if (!(resolvedType instanceof Type)) return payloadJson(field, longNumber(value) ?? value);
  return isStruct(resolvedType) ? structJson(value) : jsonOf(resolvedType, value);
}

// The short name first: a full name is put together anew each time.
const isStruct = (type: Type): boolean => type.name === 'Struct' && type.fullName === '.google.protobuf.Struct';

function payloadJson(field: Field, value: Json): Json {
  const place = payloadPlace(field);
  if (place === 'none') return value;
  const read = readPayload(value, place);
  return read.tag === 'ok' ? read.tree : value;
}

/** Where a field's payload stands; asked for every text there is, so a full name is put together once. */
export function payloadPlace(field: Field): PayloadPlace | 'none' {
  let place = places.get(field);
  if (place === undefined) {
    place = payloads.get(`${field.parent?.fullName}.${field.name}`) ?? 'none';
    places.set(field, place);
  }
  return place;
}

const places = new WeakMap<Field, PayloadPlace | 'none'>();

const payloads: ReadonlyMap<string, PayloadPlace> = new Map([
  ['.weft.task.ToolCall.Server.payload', 'call'],
  ['.weft.task.ToolCallResult.ServerResult.serialized_result', 'result'],
  ['.weft.task.Message.ServerEvent.payload', 'event'],
]);

/** A number of 64 bits, as protobufjs holds it. */
const longNumber = (value: JsonObject): Json | undefined =>
  typeof value['low'] === 'number' && typeof value['high'] === 'number'
    ? value['high'] * 2 ** 32 + (value['low'] >>> 0)
    : undefined;

/** The fields of a decoded message that the schema does not know, by number. */
export function unknownFields(message: JsonObject): JsonObject {
  const kept = '$unknowns' in message ? message['$unknowns'] : undefined;
  if (!Array.isArray(kept)) return {};
  const bytes = Uint8Array.from(kept.flatMap(field => (isBytes(field) ? [...field] : [])));
  try {
    return readTree(bytes, 'anywhere').tree;
  } catch (cause) {
    if (cause instanceof WireTrouble) return {};
    throw cause;
  }
}

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
