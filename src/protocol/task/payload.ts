import {isJsonObject, type Json, type JsonObject, parseJson} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type TodoId, todoId} from '../../domain/ids.ts';
import type {RawField, TaskItem, TaskPayload} from '../../domain/task-payload.ts';
import {encodeBase64, decodeBase64} from './base64.ts';
import {encodePayloadTree, normalizePayloadTree, type PayloadTree, readPayloadTree} from './payload-tree.ts';
import {itemField, payloadField, type PayloadPlace, resultField, runningField, snapshotField} from './task-schema.ts';
import {WireCursor, WireFormatError} from './wire-cursor.ts';

/** An opaque payload, decoded once: `tree` has field numbers as keys, and `meaning` is its effect on tasks. */
export type DecodedPayload =
  | {readonly tag: 'ok'; readonly tree: JsonObject; readonly meaning: TaskPayload}
  /** `position` counts bytes of the payload, or characters of its text if the text is not base64 or JSON. */
  | {readonly tag: 'failed'; readonly position: number; readonly message: string};

/**
 * Reads a payload in any form in which the field occurs: a decoded object, its JSON text, or base64 or base64url
 * text, with or without padding and quotes. An absent or empty payload has no fields. Never throws. Repeated payloads
 * are decoded only once.
 */
export function readPayloadField(given: Json | undefined, place: PayloadPlace): DecodedPayload {
  if (given === undefined || given === null) return emptyPayload;
  if (typeof given === 'string') return readCached(given, place);
  return isJsonObject(given) ? fromObject(given, place) : makeFailure('neither text nor an object', 0);
}

/** Returns the text of a payload for the wire: the original, or an encoding of its tree or, without a tree, of its meaning. */
export function payloadText(payload: DecodedPayload): string {
  const text = texts.get(payload);
  if (text !== undefined) return text;
  if (payload.tag === 'failed') return '';
  const isEmpty = Object.keys(payload.tree).length === 0;
  return encodeBase64(isEmpty ? encodePayload(payload.meaning) : encodePayloadTree(payload.tree));
}

const emptyPayload: DecodedPayload = {tag: 'ok', tree: {}, meaning: {kind: 'other', fields: []}};

/** The base64 text of each decoded payload. Decoded payloads are shared, so this adds only one text for each. */
const texts = new WeakMap<DecodedPayload, string>();

/** The latest payloads. Long ones are rare and not worth caching. */
const cache = new Map<string, DecodedPayload>();
const maxCached = 512;
const maxCachedLength = 8192;

function readCached(text: string, place: PayloadPlace): DecodedPayload {
  if (text.length > maxCachedLength) return fromText(text, place);
  const key = `${place} ${text}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const read = fromText(text, place);
  if (cache.size >= maxCached) cache.clear();
  cache.set(key, read);
  return read;
}

function fromText(given: string, place: PayloadPlace): DecodedPayload {
  const text = unquote(given.trim());
  if (text.startsWith('{')) {
    const parsed = parseJson(text);
    if (parsed.tag === 'failed') return makeFailure(`not JSON (${parsed.error})`, 0);
    return isJsonObject(parsed.value) ? fromObject(parsed.value, place) : emptyPayload;
  }
  const bytes = decodeBase64(text);
  if (bytes.tag === 'failed') return makeFailure('not base64', bytes.error);
  const read = readPayloadBytes(bytes.value, place);
  texts.set(read, text);
  return read;
}

/** Returns the text inside quotes, unescaped if it is a JSON string. */
export function unquote(text: string): string {
  const [mark] = text;
  if (text.length < 2 || (mark !== '"' && mark !== "'") || !text.endsWith(mark)) return text;
  const parsed = mark === '"' ? parseJson(text) : undefined;
  return (parsed?.tag === 'ok' && typeof parsed.value === 'string' ? parsed.value : text.slice(1, -1)).trim();
}

function fromObject(given: JsonObject, place: PayloadPlace): DecodedPayload {
  const tree = normalizePayloadTree(given, place);
  return {tag: 'ok', tree: tree.tree, meaning: meaningOf(tree, place) ?? {kind: 'other', fields: []}};
}

const makeFailure = (message: string, position: number): DecodedPayload => ({tag: 'failed', position, message});

/** Reads the bytes of a payload. The failure of broken bytes includes their position. */
export function readPayloadBytes(bytes: Uint8Array, place: PayloadPlace): DecodedPayload {
  try {
    const {tree, lastKnownField} = readPayloadTree(bytes, place);
    return {
      tag: 'ok',
      tree,
      meaning: meaningOf({tree, lastKnownField}, place) ?? {kind: 'other', fields: fieldsOf(bytes)},
    };
  } catch (cause) {
    if (!(cause instanceof WireFormatError)) throw cause;
    return {tag: 'failed', position: cause.position, message: cause.message};
  }
}

function fieldsOf(bytes: Uint8Array): readonly RawField[] {
  const fields: RawField[] = [];
  const cursor = new WireCursor(bytes, {from: 0, to: bytes.length});
  while (cursor.next()) fields.push({number: cursor.number, bytes: bytes.subarray(cursor.start, cursor.after)});
  return fields;
}

/**
 * Reads the bytes of a frame: the payload of a call or an event. The error says what is wrong and where. Never throws.
 * As in a protobuf oneof, the last of several known fields counts, and a repeated one is merged. Unknown fields next to
 * known ones are ignored, because the frame itself is kept.
 */
export function decodePayload(raw: Uint8Array): Outcome<TaskPayload, string> {
  const read = readPayloadBytes(raw, 'call');
  return read.tag === 'ok' ? ok(read.meaning) : failed(`${read.message} at byte ${read.position}`);
}

/** Encodes a payload. Text must be well-formed: a lone surrogate has no UTF-8 form and becomes U+FFFD. */
export function encodePayload(payload: TaskPayload): Uint8Array {
  switch (payload.kind) {
    case 'snapshot': {
      const {pending, completed, running} = payload;
      const lists = {
        [snapshotField.pending]: pending.map(itemTree),
        [snapshotField.completed]: completed.map(itemTree),
      };
      return encodePayloadTree({[payloadField.snapshot]: lists, ...(running.length > 0 && runningTree(running))});
    }
    case 'running':
      return encodePayloadTree(runningTree(payload.ids));
    case 'cleared':
      return encodePayloadTree({[payloadField.cleared]: {}});
    case 'other':
      return joinBytes(payload.fields.map(field => field.bytes));
    default:
      return unreachable(payload);
  }
}

const runningTree = (ids: readonly TodoId[]): JsonObject => ({[payloadField.running]: {[runningField.ids]: ids}});

/** Empty text is the default of a field and is omitted, as in every protobuf encoder. */
const itemTree = ({id, title, description}: TaskItem): JsonObject => ({
  [itemField.id]: id,
  ...(title !== '' && {[itemField.title]: title}),
  ...(description !== '' && {[itemField.description]: description}),
});

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Returns the task meaning of a payload, or `undefined` if it has none. */
function meaningOf({tree, lastKnownField}: PayloadTree, place: PayloadPlace): TaskPayload | undefined {
  const message = lastKnownField === undefined ? undefined : objectsIn(tree[lastKnownField])[0];
  if (message === undefined) return undefined;
  const [snapshot] = objectsIn(tree[payloadField.snapshot]);
  const runs = runningIn(objectsIn(tree[payloadField.running])[0], place);
  if (lastKnownField === payloadField.snapshot) return snapshotOf(message, runs);
  const [list] = place === 'call' ? [] : objectsIn(message[resultField.list]);
  if (list !== undefined && hasLists(list)) return snapshotOf(list, []);
  if (lastKnownField === payloadField.cleared) return {kind: 'cleared'};
  return snapshot === undefined ? {kind: 'running', ids: runs} : snapshotOf(snapshot, runs);
}

/** Returns the running ids; none for a result, which has a list in that field. */
function runningIn(message: JsonObject | undefined, place: PayloadPlace): readonly TodoId[] {
  if (message === undefined) return [];
  const [list] = place === 'call' ? [] : objectsIn(message[resultField.list]);
  return list !== undefined && hasLists(list) ? [] : textsIn(message[runningField.ids]).map(todoId);
}

const snapshotOf = (list: JsonObject, running: readonly TodoId[]): TaskPayload => ({
  kind: 'snapshot',
  pending: objectsIn(list[snapshotField.pending]).map(itemOf),
  completed: objectsIn(list[snapshotField.completed]).map(itemOf),
  running,
});

const itemOf = (item: JsonObject): TaskItem => ({
  id: idOf(item[itemField.id]),
  title: textsIn(item[itemField.title]).at(-1) ?? '',
  description: textsIn(item[itemField.description]).at(-1) ?? '',
});

const idOf = (value: Json | undefined): TodoId => todoId(textsIn(value).at(-1) ?? '');

/** In a payload of unknown kind, the field of a result's list may hold anything. */
const hasLists = (list: JsonObject): boolean =>
  Object.entries(list).every(([key, value]) => (key === '1' || key === '2') && Array.isArray(value));

const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  (Array.isArray(value) ? value : [value]).filter(isJsonObject);

const textsIn = (value: Json | undefined): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter(one => typeof one === 'string');
