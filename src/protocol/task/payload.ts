import {isJsonObject, type Json, type JsonObject, parseJson} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type TodoId, todoId} from '../../domain/ids.ts';
import type {RawField, TaskItem, TaskPayload} from '../../domain/task-payload.ts';
import {encodeBase64, decodeBase64} from './base64.ts';
import {encodePayloadTree, normalizePayloadTree, type PayloadTree, readPayloadTree} from './payload-tree.ts';
import {itemField, payloadField, type PayloadPlace, resultField, runningField, snapshotField} from './task-schema.ts';
import {WireCursor, WireFormatError} from './wire-cursor.ts';

/** An opaque payload, decoded once: `tree` has field numbers as keys, `meaning` is what it says of tasks. */
export type DecodedPayload =
  | {readonly tag: 'ok'; readonly tree: JsonObject; readonly meaning: TaskPayload}
  /** `position` counts bytes of the payload, or characters of its text where that is no base64 or JSON. */
  | {readonly tag: 'failed'; readonly position: number; readonly message: string};

/**
 * Reads a payload in any of the forms the field is seen to hold: an object that is decoded already, JSON text of one, base64 or
 * base64url text, padded or not, in quotes or not. Absent and empty is a payload without fields. Nothing throws. A payload that
 * comes again is not decoded again.
 */
export function readPayloadField(given: Json | undefined, place: PayloadPlace): DecodedPayload {
  if (given === undefined || given === null) return nothing;
  if (typeof given === 'string') return remembered(given, place);
  return isJsonObject(given) ? ofObject(given, place) : unreadable('neither text nor an object', 0);
}

/** The text of a payload for the wire: as it was read, else made of its tree or, without one, of what it says. */
export function payloadText(payload: DecodedPayload): string {
  const text = texts.get(payload);
  if (text !== undefined) return text;
  if (payload.tag === 'failed') return '';
  const isEmpty = Object.keys(payload.tree).length === 0;
  return encodeBase64(isEmpty ? encodePayload(payload.meaning) : encodePayloadTree(payload.tree));
}

const nothing: DecodedPayload = {tag: 'ok', tree: {}, meaning: {kind: 'other', fields: []}};

/** Base64 by which each reading came; the readings are shared, so this is no more than one text for each. */
const texts = new WeakMap<DecodedPayload, string>();

/** The payloads read last. Long ones are rare, and not worth holding on to. */
const memory = new Map<string, DecodedPayload>();
const maxRemembered = 512;
const longestRemembered = 8192;

function remembered(text: string, place: PayloadPlace): DecodedPayload {
  if (text.length > longestRemembered) return ofText(text, place);
  const key = `${place} ${text}`;
  const known = memory.get(key);
  if (known !== undefined) return known;
  const read = ofText(text, place);
  if (memory.size >= maxRemembered) memory.clear();
  memory.set(key, read);
  return read;
}

function ofText(given: string, place: PayloadPlace): DecodedPayload {
  const text = withoutQuotes(given.trim());
  if (text.startsWith('{')) {
    const parsed = parseJson(text);
    if (parsed.tag === 'failed') return unreadable(`not JSON (${parsed.error})`, 0);
    return isJsonObject(parsed.value) ? ofObject(parsed.value, place) : nothing;
  }
  const bytes = decodeBase64(text);
  if (bytes.tag === 'failed') return unreadable('not base64', bytes.error);
  const read = readPayloadBytes(bytes.value, place);
  texts.set(read, text);
  return read;
}

/** What stands in quotes is JSON's own text, where it is that. */
export function withoutQuotes(text: string): string {
  const [mark] = text;
  if (text.length < 2 || (mark !== '"' && mark !== "'") || !text.endsWith(mark)) return text;
  const parsed = mark === '"' ? parseJson(text) : undefined;
  return (parsed?.tag === 'ok' && typeof parsed.value === 'string' ? parsed.value : text.slice(1, -1)).trim();
}

function ofObject(given: JsonObject, place: PayloadPlace): DecodedPayload {
  const tree = normalizePayloadTree(given, place);
  return {tag: 'ok', tree: tree.tree, meaning: meaningOf(tree, place) ?? {kind: 'other', fields: []}};
}

const unreadable = (message: string, position: number): DecodedPayload => ({tag: 'failed', position, message});

/** Reads the bytes of a payload; broken ones become a failure with the position of the trouble. */
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
 * Reads the bytes of a frame: of a call's or an event's payload. A failure says in words what is wrong with the bytes and where;
 * nothing throws. Of several known fields the last one counts and a repeated one is merged, as protobuf has it for a oneof.
 * Unknown fields beside known ones are passed over; the frame itself is what is kept.
 */
export function decodePayload(raw: Uint8Array): Outcome<TaskPayload, string> {
  const read = readPayloadBytes(raw, 'call');
  return read.tag === 'ok' ? ok(read.meaning) : failed(`${read.message} at byte ${read.position}`);
}

/** The bytes of a payload. Text must be well-formed: a lone surrogate has no UTF-8 form and comes back as U+FFFD. */
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
      return joined(payload.fields.map(field => field.bytes));
    default:
      return unreachable(payload);
  }
}

const runningTree = (ids: readonly TodoId[]): JsonObject => ({[payloadField.running]: {[runningField.ids]: ids}});

/** Empty text is the default of a field and is left out, as every protobuf encoder does. */
const itemTree = ({id, title, description}: TaskItem): JsonObject => ({
  [itemField.id]: id,
  ...(title !== '' && {[itemField.title]: title}),
  ...(description !== '' && {[itemField.description]: description}),
});

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** What a payload says of tasks; `undefined` if it says nothing of them. */
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

/** The ids that run; none in a result, which has a list there. */
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

/** What stands where a result has its list may be anything, in a payload of a kind that is not known. */
const hasLists = (list: JsonObject): boolean =>
  Object.entries(list).every(([key, value]) => (key === '1' || key === '2') && Array.isArray(value));

const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  (Array.isArray(value) ? value : [value]).filter(isJsonObject);

const textsIn = (value: Json | undefined): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter(one => typeof one === 'string');
