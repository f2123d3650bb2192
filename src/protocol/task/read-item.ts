import {isDeeperThan, isJsonList, isJsonObject, type Json, type JsonObject, parseJson} from '../../base/json.ts';
import {Reader} from 'protobufjs';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {decodeBase64} from './base64.ts';
import {type DecodedPayload, readPayloadField, unquote} from './payload.ts';
import {whichOneOf, FieldTypeError, fieldValue} from './record-fields.ts';
import {clientActionNames, decodeEvent, eventNames, type ResponseEvent} from './response-event.ts';
import {unknownFields} from './schema-json.ts';
import {messageType} from './task-schema.ts';

/** The content of one line, JSON value or server-sent event. */
export type StreamItem =
  | {readonly tag: 'event'; readonly event: ResponseEvent}
  | {readonly tag: 'payload'; readonly payload: DecodedPayload}
  | {readonly tag: 'broken'; readonly message: string};

/** Reads JSON: events, payloads as objects or as text, or a list of these. */
export function readJsonItem(value: Json, size: number): readonly StreamItem[] {
  if (size > minNestableSize && isDeeperThan(value, maxJsonDepth))
    return [makeBroken(`nested more than ${maxJsonDepth} deep`)];
  return itemsIn(value);
}

/** Shorter text can't be nested deeply enough to overflow the stack. */
const minNestableSize = 1024;
const maxJsonDepth = 200;

function itemsIn(value: Json): readonly StreamItem[] {
  if (typeof value === 'string') return [readBareText(value)];
  if (isJsonList(value)) return value.flatMap(itemsIn);
  if (isJsonObject(value) && isTree(value)) return [{tag: 'payload', payload: readPayloadField(value, 'anywhere')}];
  const read = readEventJson(value);
  return read.tag === 'ok' ? read.value.map(event => ({tag: 'event', event})) : [makeBroken(read.error)];
}

/** True if the object is a payload, which has only field numbers as keys. */
function isTree(value: object): boolean {
  let keys = 0;
  for (const key in value) {
    if (!/^[1-9]\d{0,8}$/u.test(key)) return false;
    keys += 1;
  }
  return keys > 0;
}

/**
 * Reads base64 without context. It counts as a payload, or as a ResponseEvent if as a payload it would have no task
 * meaning, or would hold todos without readable ids.
 */
export function readBareText(text: string): StreamItem {
  const bytes = decodeBase64(unquote(text));
  if (bytes.tag === 'failed') return makeBroken(notBase64Text(bytes.error));
  const payload = readPayloadField(text, 'anywhere');
  if (hasTaskMeaning(payload)) return {tag: 'payload', payload};
  const event = readEventBytes(bytes.value);
  return event.tag === 'ok' && isKnown(event.value) ? {tag: 'event', event: event.value} : {tag: 'payload', payload};
}

/** Reads base64 that is known to be a payload. */
export function readPayloadText(text: string): StreamItem {
  const bytes = decodeBase64(unquote(text));
  return bytes.tag === 'ok'
    ? {tag: 'payload', payload: readPayloadField(text, 'anywhere')}
    : makeBroken(notBase64Text(bytes.error));
}

/** Reads the data of a server-sent event: base64 of a ResponseEvent, or JSON. Empty data and `[DONE]` yield nothing. */
export function readSseData(data: string): readonly StreamItem[] {
  const text = unquote(data.trim());
  if (text === '' || text === '[DONE]') return [];
  if (text.startsWith('{') || text.startsWith('[')) {
    // The parser would find this too, but its errors are slow, and this runs for each line of an event with several.
    if (!text.endsWith('}') && !text.endsWith(']')) return [makeBroken('not JSON: a value that does not end')];
    const parsed = parseJson(text);
    return parsed.tag === 'ok' ? readJsonItem(parsed.value, text.length) : [makeBroken(`not JSON: ${parsed.error}`)];
  }
  const bytes = decodeBase64(text);
  if (bytes.tag === 'failed') return [makeBroken(notBase64Text(bytes.error))];
  const event = readEventBytes(bytes.value);
  if (event.tag === 'ok' && event.value.kind !== 'other') return [{tag: 'event', event: event.value}];
  const payload = readPayloadField(text, 'anywhere');
  if (hasTaskMeaning(payload)) return [{tag: 'payload', payload}];
  return event.tag === 'ok'
    ? [{tag: 'event', event: event.value}]
    : [makeBroken(`not a ResponseEvent: ${event.error.message} at byte ${event.error.position}`)];
}

const notBase64Text = (position: number): string =>
  `neither JSON nor base64 (it is cut short, or character ${position + 1} does not belong)`;

function hasTaskMeaning(payload: DecodedPayload): boolean {
  if (payload.tag === 'failed') return false;
  const {meaning} = payload;
  switch (meaning.kind) {
    case 'other':
      return false;
    case 'snapshot':
      return [...meaning.pending, ...meaning.completed].every(({id}) => id !== '' && !/\p{Cc}/u.test(id));
    default:
      return true;
  }
}

/** True if unidentified bytes are an event: they have content, in fields of the schema. */
function isKnown(event: ResponseEvent): boolean {
  switch (event.kind) {
    case 'init':
      return event.conversationId + event.requestId + event.runId !== '' && isOnly(event, 'init');
    case 'client-actions':
      return event.actions.length > 0 && event.actions.every(action => action.kind !== 'other' || action.field !== '');
    case 'finished':
      return isOnly(event, 'finished');
    default:
      return false;
  }
}

/** True if the event has only the field `name`, with some content and no unknown fields. */
function isOnly({unknown}: ResponseEvent, name: string): boolean {
  if (unknown.source !== 'bytes' || !isJsonObject(unknown.message)) return true;
  const body = unknown.message[name];
  return isJsonObject(body) && ![unknown.message, body].some(hasUnknown) && Object.values(body).some(isSet);
}

const hasUnknown = (message: JsonObject): boolean => Object.keys(unknownFields(message)).length > 0;

/** A decoded message has an empty list for each repeated field. */
const isSet = (value: Json): boolean => !isJsonList(value) || value.length > 0;

const makeBroken = (message: string): StreamItem => ({tag: 'broken', message});

/** An error in the bytes of an event, and its position in bytes. */
interface UnreadableBytes {
  readonly position: number;
  readonly message: string;
}

/** Reads the bytes of one ResponseEvent. Unknown fields are kept. Never throws. */
export function readEventBytes(bytes: Uint8Array): Outcome<ResponseEvent, UnreadableBytes> {
  if (bytes.length > maxBytes) return failed({position: maxBytes, message: `more than ${maxBytes} bytes`});
  const reader = Reader.create(bytes);
  reader.discardUnknown = false;
  try {
    const message = messageType('ResponseEvent').decode(reader);
    return ok(decodeEvent(isJsonObject(message) ? message : {}, {source: 'bytes', message}));
  } catch (cause) {
    return failed({position: Math.min(reader.pos, bytes.length), message: errorTextOf(cause)});
  }
}

/** Far more than any event needs, but so little that an event made of the smallest messages fits into memory. */
const maxBytes = 16 * 1024 * 1024;

const errorTextOf = (cause: unknown): string =>
  cause instanceof RangeError ? 'a field that is cut short' : causeText(cause);

/**
 * Reads events from JSON: one ResponseEvent, a list of them, one wrapped in `parsed_data`, or a single client action.
 * Names may be in snake_case or camelCase. An object with none of these names is kept as an event of unknown kind.
 */
export function readEventJson(value: Json): Outcome<readonly ResponseEvent[], string> {
  const events: ResponseEvent[] = [];
  try {
    for (const one of isJsonList(value) ? value : [value]) {
      if (!isJsonObject(one)) return failed('an event must be an object');
      const event = unwrapped(one);
      events.push(decodeEvent(event, {source: 'json', value: event}));
    }
    return ok(events);
  } catch (cause) {
    if (cause instanceof FieldTypeError) return failed(cause.message);
    throw cause;
  }
}

/** Removes up to four nested wrappers; deeper nesting has no meaning. */
function unwrapped(given: JsonObject): JsonObject {
  let event = given;
  for (let depth = 0; depth < 4 && whichOneOf(event, eventNames()) === undefined; depth += 1) {
    const inner = fieldValue(event, 'parsed_data');
    if (inner === undefined) break;
    if (!isJsonObject(inner)) throw new FieldTypeError('"parsed_data" must be an object');
    event = inner;
  }
  if (whichOneOf(event, eventNames()) !== undefined) return event;
  if (whichOneOf(event, clientActionNames()) !== undefined) return {client_actions: {actions: [event]}};
  return Array.isArray(event['actions']) ? {client_actions: event} : event;
}
