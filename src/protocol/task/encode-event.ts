import {Enum, Type, type Field} from 'protobufjs';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {decodeBase64} from './base64.ts';
import {payloadText, readPayloadField} from './payload.ts';
import {eventRecord, type ResponseEvent} from './response-event.ts';
import {schemaField, payloadPlace, structJson} from './schema-json.ts';
import {messageType, snakeCase} from './task-schema.ts';

/**
 * Encodes an event. An event that was read from bytes is written unchanged, including unknown fields. An event that was
 * read from JSON keeps everything that has a number in the schema. To change an event that was read, set
 * `unknown: {source: 'none'}`.
 */
export function encodeEvent(event: ResponseEvent): Uint8Array {
  const type = messageType('ResponseEvent');
  if (event.unknown.source === 'bytes') return type.encode(event.unknown.message).finish();
  return type.encode(type.fromObject(wireMessage(type, eventRecord(event)))).finish();
}

type WireValue = string | number | boolean | Uint8Array | WireMessage | readonly WireValue[];
interface WireMessage {
  readonly [name: string]: WireValue;
}

/** Converts the JSON that matches the schema to the types that protobufjs expects. */
function wireMessage(type: Type, json: JsonObject): WireMessage {
  const wire: {[name: string]: WireValue} = {};
  for (const [key, value] of Object.entries(json)) {
    const field = schemaField(type, key);
    if (field === undefined) continue;
    const given = Array.isArray(value) ? value : [value];
    const values = given.flatMap(one => wireValue(field, one) ?? []);
    const last = values.at(-1);
    if (field.repeated) wire[field.name] = values;
    else if (last !== undefined) wire[field.name] = last;
  }
  return wire;
}

function wireValue(field: Field, value: Json): WireValue | undefined {
  const {resolvedType, type} = field;
  if (resolvedType instanceof Enum) return enumValue(resolvedType, value);
  if (resolvedType instanceof Type) return messageValue(resolvedType, value);
  const place = payloadPlace(field);
  if (place !== 'none') return typeof value === 'string' ? value : payloadText(readPayloadField(value, place));
  switch (type) {
    case 'string':
      return typeof value === 'object' ? undefined : String(value).toWellFormed();
    case 'bytes':
      return typeof value === 'string' ? bytesValue(value) : undefined;
    case 'bool':
      return value === true || value === 'true';
    default:
      return numberValue(value);
  }
}

function messageValue(type: Type, value: Json): WireMessage | undefined {
  if (type.fullName === '.google.protobuf.Struct' && isJsonObject(value)) return structMessage(structJson(value), 0);
  if (typeof value === 'string') return wellKnown(type, value);
  return isJsonObject(value) ? wireMessage(type, value) : undefined;
}

/** Protobuf's JSON form writes some messages as text. */
function wellKnown(type: Type, text: string): WireMessage | undefined {
  switch (type.fullName) {
    case '.google.protobuf.FieldMask':
      return {paths: text.split(',').filter(Boolean).map(snakeCase)};
    case '.google.protobuf.Timestamp': {
      const milliseconds = Date.parse(text);
      return Number.isNaN(milliseconds) ? undefined : secondsAndNanos(milliseconds / 1000);
    }
    case '.google.protobuf.Duration': {
      const seconds = /^-?\d+(?:\.\d+)?s$/u.test(text) ? Number(text.slice(0, -1)) : Number.NaN;
      return Number.isNaN(seconds) ? undefined : secondsAndNanos(seconds);
    }
    default:
      return undefined;
  }
}

const secondsAndNanos = (seconds: number): WireMessage => ({
  seconds: Math.trunc(seconds),
  nanos: Math.round((seconds % 1) * 1e9),
});

const structMessage = (json: JsonObject, depth: number): WireMessage => ({
  fields: Object.fromEntries(Object.entries(json).map(([key, value]) => [key, structValue(value, depth + 1)])),
});

/** Values nested deeper than protobuf's own readers allow become null. The library's own schema of these messages uses camelCase names. */
function structValue(value: Json, depth: number): WireMessage {
  if (value === null || depth > deepestStruct) return {nullValue: 0};
  if (typeof value === 'string') return {stringValue: value.toWellFormed()};
  if (typeof value === 'number') return {numberValue: value};
  if (typeof value === 'boolean') return {boolValue: value};
  if (isJsonObject(value)) return {structValue: structMessage(value, depth)};
  return {listValue: {values: value.map(one => structValue(one, depth + 1))}};
}

const deepestStruct = 30;

function enumValue(type: Enum, value: Json): number | undefined {
  if (typeof value === 'string') return type.values[value];
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

function bytesValue(text: string): Uint8Array | undefined {
  const bytes = decodeBase64(text);
  return bytes.tag === 'ok' ? bytes.value : undefined;
}

function numberValue(value: Json): number | undefined {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
