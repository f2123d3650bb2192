import {isDeeperThan, isJsonList, isJsonObject, type Json, type JsonObject, parseJson} from '../../base/json.ts';
import {Reader} from 'protobufjs';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {decodeBase64} from './base64.ts';
import {type DecodedPayload, readPayloadField, withoutQuotes} from './payload.ts';
import {whichOneOf, FieldTypeError, fieldValue} from './record-fields.ts';
import {clientActionNames, decodeEvent, eventNames, type ResponseEvent} from './response-event.ts';
import {unknownFields} from './schema-json.ts';
import {messageType} from './task-schema.ts';

/** What one line, JSON value or server-sent event is. */
export type StreamItem =
  | {readonly tag: 'event'; readonly event: ResponseEvent}
  | {readonly tag: 'payload'; readonly payload: DecodedPayload}
  | {readonly tag: 'broken'; readonly message: string};

/** JSON: events, payloads as objects or as text, or a list of these. */
export function readJsonItem(value: Json, size: number): readonly StreamItem[] {
  if (size > deepOnlyFrom && isDeeperThan(value, deepestJson)) return [broken(`nested more than ${deepestJson} deep`)];
  return foundIn(value);
}

/** Text of fewer characters cannot be nested deep enough to overflow anything. */
const deepOnlyFrom = 1024;
const deepestJson = 200;

function foundIn(value: Json): readonly StreamItem[] {
  if (typeof value === 'string') return [readBareText(value)];
  if (isJsonList(value)) return value.flatMap(foundIn);
  if (isJsonObject(value) && isTree(value)) return [{tag: 'payload', payload: readPayloadField(value, 'anywhere')}];
  const read = readEventJson(value);
  return read.tag === 'ok' ? read.value.map(event => ({tag: 'event', event})) : [broken(read.error)];
}

/** A payload as an object has nothing but field numbers for keys. */
function isTree(value: object): boolean {
  let keys = 0;
  for (const key in value) {
    if (!/^[1-9]\d{0,8}$/u.test(key)) return false;
    keys += 1;
  }
  return keys > 0;
}

/**
 * Base64 by itself: a payload; or a ResponseEvent, where as a payload it would say nothing of tasks, or hold todos without ids that
 * can be read.
 */
export function readBareText(text: string): StreamItem {
  const bytes = decodeBase64(withoutQuotes(text));
  if (bytes.tag === 'failed') return broken(noBase64(bytes.error));
  const payload = readPayloadField(text, 'anywhere');
  if (saysTasks(payload)) return {tag: 'payload', payload};
  const event = readEventBytes(bytes.value);
  return event.tag === 'ok' && isKnown(event.value) ? {tag: 'event', event: event.value} : {tag: 'payload', payload};
}

/** Base64 that is said to be a payload. */
export function readPayloadText(text: string): StreamItem {
  const bytes = decodeBase64(withoutQuotes(text));
  return bytes.tag === 'ok'
    ? {tag: 'payload', payload: readPayloadField(text, 'anywhere')}
    : broken(noBase64(bytes.error));
}

/** The data of a server-sent event: base64 of a ResponseEvent, or JSON; `[DONE]` and no data are nothing. */
export function readSseData(data: string): readonly StreamItem[] {
  const text = withoutQuotes(data.trim());
  if (text === '' || text === '[DONE]') return [];
  if (text.startsWith('{') || text.startsWith('[')) {
    // The parser would say so too, but its errors are slow and this is asked of every line of an event that has several.
    if (!text.endsWith('}') && !text.endsWith(']')) return [broken('not JSON: a value that does not end')];
    const parsed = parseJson(text);
    return parsed.tag === 'ok' ? readJsonItem(parsed.value, text.length) : [broken(`not JSON: ${parsed.error}`)];
  }
  const bytes = decodeBase64(text);
  if (bytes.tag === 'failed') return [broken(noBase64(bytes.error))];
  const event = readEventBytes(bytes.value);
  if (event.tag === 'ok' && event.value.kind !== 'other') return [{tag: 'event', event: event.value}];
  const payload = readPayloadField(text, 'anywhere');
  if (saysTasks(payload)) return [{tag: 'payload', payload}];
  return event.tag === 'ok'
    ? [{tag: 'event', event: event.value}]
    : [broken(`not a ResponseEvent: ${event.error.message} at byte ${event.error.position}`)];
}

const noBase64 = (position: number): string =>
  `neither JSON nor base64 (it is cut short, or character ${position + 1} does not belong)`;

function saysTasks(payload: DecodedPayload): boolean {
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

/** Whether bytes that may be anything are an event: it says something, in fields that the schema knows. */
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

/** Whether the event has nothing but the field `name`, and in that something, all of it known. */
function isOnly({unknown}: ResponseEvent, name: string): boolean {
  if (unknown.source !== 'bytes' || !isJsonObject(unknown.message)) return true;
  const body = unknown.message[name];
  return isJsonObject(body) && ![unknown.message, body].some(hasUnknown) && Object.values(body).some(isSet);
}

const hasUnknown = (message: JsonObject): boolean => Object.keys(unknownFields(message)).length > 0;

/** A decoded message has a list, empty, for each field that can be one. */
const isSet = (value: Json): boolean => !isJsonList(value) || value.length > 0;

const broken = (message: string): StreamItem => ({tag: 'broken', message});

/** What is wrong with the bytes of an event, and after how many of them. */
interface UnreadableBytes {
  readonly position: number;
  readonly message: string;
}

/** Reads the bytes of one ResponseEvent. Unknown fields are kept. Nothing throws. */
export function readEventBytes(bytes: Uint8Array): Outcome<ResponseEvent, UnreadableBytes> {
  if (bytes.length > maxBytes) return failed({position: maxBytes, message: `more than ${maxBytes} bytes`});
  const reader = Reader.create(bytes);
  reader.discardUnknown = false;
  try {
    const message = messageType('ResponseEvent').decode(reader);
    return ok(decodeEvent(isJsonObject(message) ? message : {}, {source: 'bytes', message}));
  } catch (cause) {
    return failed({position: Math.min(reader.pos, bytes.length), message: troubleText(cause)});
  }
}

/** Far more than any event has, and little enough that one made of the smallest messages fits into memory. */
const maxBytes = 16 * 1024 * 1024;

const troubleText = (cause: unknown): string =>
  cause instanceof RangeError ? 'a field that is cut short' : causeText(cause);

/**
 * Reads events from JSON: one ResponseEvent, a list of them, one wrapped in `parsed_data`, or a client action by itself. Names may
 * be in snake_case or camelCase. An object of none of these names is an event of a kind that is not known, and is kept.
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

/** Wrappers hold wrappers; how many is bounded, since nobody means more. */
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
