import {isDeeperThan} from '../../actions/json-depth.ts';
import {isJsonList, isJsonObject, parseJson, type Json, type JsonObject} from '../../base/json.ts';
import {bytesOfBase64} from './base64.ts';
import {readEventBytes} from './read-event-bytes.ts';
import {readEventJson} from './read-event-json.ts';
import {readPayload, unquoted} from './read-payload.ts';
import type {PayloadRead, ResponseEvent} from './response-event.ts';
import {unknownFields} from './schema-json.ts';

/** What one line, JSON value or server-sent event is. */
export type Found =
  | {readonly tag: 'event'; readonly event: ResponseEvent}
  | {readonly tag: 'payload'; readonly payload: PayloadRead}
  | {readonly tag: 'broken'; readonly message: string};

/** JSON: events, payloads as objects or as text, or a list of these. */
export function readValue(value: Json, size: number): readonly Found[] {
  if (size > deepOnlyFrom && isDeeperThan(value, deepestJson)) return [broken(`nested more than ${deepestJson} deep`)];
  return foundIn(value);
}

/** Text of fewer characters cannot be nested deep enough to overflow anything. */
const deepOnlyFrom = 1024;
const deepestJson = 200;

function foundIn(value: Json): readonly Found[] {
  if (typeof value === 'string') return [readBareText(value)];
  if (isJsonList(value)) return value.flatMap(foundIn);
  if (isJsonObject(value) && isTree(value)) return [{tag: 'payload', payload: readPayload(value, 'anywhere')}];
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
export function readBareText(text: string): Found {
  const bytes = bytesOfBase64(unquoted(text));
  if (bytes.tag === 'failed') return broken(noBase64(bytes.error));
  const payload = readPayload(text, 'anywhere');
  if (saysTasks(payload)) return {tag: 'payload', payload};
  const event = readEventBytes(bytes.value);
  return event.tag === 'ok' && isKnown(event.value) ? {tag: 'event', event: event.value} : {tag: 'payload', payload};
}

/** Base64 that is said to be a payload. */
export function readPayloadText(text: string): Found {
  const bytes = bytesOfBase64(unquoted(text));
  return bytes.tag === 'ok' ? {tag: 'payload', payload: readPayload(text, 'anywhere')} : broken(noBase64(bytes.error));
}

/** The data of a server-sent event: base64 of a ResponseEvent, or JSON; `[DONE]` and no data are nothing. */
export function readSseData(data: string): readonly Found[] {
  const text = unquoted(data.trim());
  if (text === '' || text === '[DONE]') return [];
  if (text.startsWith('{') || text.startsWith('[')) {
    // The parser would say so too, but its errors are slow and this is asked of every line of an event that has several.
    if (!text.endsWith('}') && !text.endsWith(']')) return [broken('not JSON: a value that does not end')];
    const parsed = parseJson(text);
    return parsed.tag === 'ok' ? readValue(parsed.value, text.length) : [broken(`not JSON: ${parsed.error}`)];
  }
  const bytes = bytesOfBase64(text);
  if (bytes.tag === 'failed') return [broken(noBase64(bytes.error))];
  const event = readEventBytes(bytes.value);
  if (event.tag === 'ok' && event.value.kind !== 'other') return [{tag: 'event', event: event.value}];
  const payload = readPayload(text, 'anywhere');
  if (saysTasks(payload)) return [{tag: 'payload', payload}];
  return event.tag === 'ok'
    ? [{tag: 'event', event: event.value}]
    : [broken(`not a ResponseEvent: ${event.error.message} at byte ${event.error.position}`)];
}

const noBase64 = (position: number): string =>
  `neither JSON nor base64 (it is cut short, or character ${position + 1} does not belong)`;

function saysTasks(payload: PayloadRead): boolean {
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

const broken = (message: string): Found => ({tag: 'broken', message});
