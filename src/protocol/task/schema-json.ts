import {Enum, type Field, Message, Type} from 'protobufjs';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {encodeBase64} from './base64.ts';
import {readPayloadTree} from './payload-tree.ts';
import {readPayloadField} from './payload.ts';
import {mapBothSpellings, type PayloadPlace} from './task-schema.ts';
import {WireFormatError} from './wire-cursor.ts';

/**
 * Converts a message to JSON in the schema's names, whether it was decoded from bytes or came as JSON. Opaque
 * payloads become objects with field numbers as keys, and so do unknown fields. Values that can't be read stay as
 * they are.
 */
export function messageJson(type: Type, message: JsonObject): JsonObject {
  const json: {[key: string]: Json} = unknownFields(message);
  // A decoded message has an empty list for each repeated field.
  const hasEmptyLists = message instanceof Message;
  for (const key of Object.keys(message)) {
    const value = message[key] ?? null;
    const field = schemaField(type, key);
    if (field === undefined) json[key] = value;
    else if (value !== null && !(hasEmptyLists && isEmptyList(value))) json[field.name] = valueJson(field, value);
  }
  return json;
}

const isEmptyList = (value: Json): boolean => Array.isArray(value) && value.length === 0;

/** Returns the field with this name, in either spelling. */
export function schemaField(type: Type, key: string): Field | undefined {
  let fields = fieldsByName.get(type);
  if (fields === undefined) {
    fields = mapBothSpellings(Object.keys(type.fields), name => type.fields[name]);
    fieldsByName.set(type, fields);
  }
  return fields.get(key);
}

const fieldsByName = new WeakMap<Type, ReadonlyMap<string, Field | undefined>>();

function valueJson(field: Field, value: unknown): Json {
  if (Array.isArray(value)) return value.map(one => oneJson(field, one));
  const one = oneJson(field, value);
  return field.repeated ? [one] : one;
}

function oneJson(field: Field, value: unknown): Json {
  const {resolvedType} = field;
  if (typeof value === 'string') return payloadJson(field, value);
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (resolvedType instanceof Enum && typeof value === 'number') return resolvedType.valuesById[value] ?? value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (!isJsonObject(value)) return null;
  if (!(resolvedType instanceof Type)) return payloadJson(field, longNumber(value) ?? value);
  return isStruct(resolvedType) ? structJson(value) : messageJson(resolvedType, value);
}

// Compare the short name first, because a full name is computed on each access.
const isStruct = (type: Type): boolean => type.name === 'Struct' && type.fullName === '.google.protobuf.Struct';

function payloadJson(field: Field, value: Json): Json {
  const place = payloadPlace(field);
  if (place === 'none') return value;
  const read = readPayloadField(value, place);
  return read.tag === 'ok' ? read.tree : value;
}

/** Returns the place of a field's payload. Cached, because it is called for every text and computes a full name. */
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

/** Returns a 64-bit number from the form that protobufjs uses. */
const longNumber = (value: JsonObject): Json | undefined =>
  typeof value['low'] === 'number' && typeof value['high'] === 'number'
    ? value['high'] * 2 ** 32 + (value['low'] >>> 0)
    : undefined;

/** Returns the unknown fields of a decoded message, by number. */
export function unknownFields(message: JsonObject): JsonObject {
  const kept = '$unknowns' in message ? message['$unknowns'] : undefined;
  if (!Array.isArray(kept)) return {};
  const bytes = Uint8Array.from(kept.flatMap(field => (isBytes(field) ? [...field] : [])));
  try {
    return readPayloadTree(bytes, 'anywhere').tree;
  } catch (cause) {
    if (cause instanceof WireFormatError) return {};
    throw cause;
  }
}

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;

/**
 * Converts a `google.protobuf.Struct` to the JSON object that it represents. Leaves a plain JSON object, as in
 * protobuf's JSON form, unchanged.
 */
export function structJson(struct: JsonObject): JsonObject {
  const fields = structFields(struct);
  return fields === undefined ? struct : objectOf(fields);
}

function structFields(struct: JsonObject): JsonObject | undefined {
  const fields = struct['fields'];
  const [only, ...others] = Object.keys(struct);
  if (!isJsonObject(fields) || only !== 'fields' || others.length > 0) return undefined;
  const values = Object.values(fields);
  return values.length > 0 && values.every(isValue) ? fields : undefined;
}

/** Keys may be any text, even `__proto__`. */
const objectOf = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, structValueJson(value)]));

function structValueJson(value: Json): Json {
  if (!isJsonObject(value)) return null;
  const [kind] = Object.keys(value).filter(key => kinds.has(key));
  const held = kind === undefined ? undefined : value[kind];
  switch (kind === undefined ? undefined : kinds.get(kind)) {
    case 'struct_value':
      return isJsonObject(held) && isJsonObject(held['fields']) ? objectOf(held['fields']) : {};
    case 'list_value': {
      const values = isJsonObject(held) ? held['values'] : undefined;
      return Array.isArray(values) ? values.map(structValueJson) : [];
    }
    case 'null_value':
    case undefined:
      return null;
    default:
      return held ?? null;
  }
}

const kinds = mapBothSpellings(
  ['null_value', 'number_value', 'string_value', 'bool_value', 'struct_value', 'list_value'],
  kind => kind,
);

const isValue = (value: Json): boolean =>
  isJsonObject(value) && Object.keys(value).length === 1 && Object.keys(value).every(key => kinds.has(key));
