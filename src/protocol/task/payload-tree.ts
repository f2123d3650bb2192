import {Writer} from 'protobufjs/minimal.js';
import {tryOr} from '../../base/outcome.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {encodeBase64, decodeBase64} from './base64.ts';
import {
  itemField,
  type MessageShape,
  payloadField,
  type PayloadPlace,
  type PayloadShape,
  resultField,
  payloadFieldShape,
  unknownShape,
  snapshotField,
} from './task-schema.ts';
import {maxNesting, tooDeep, WireCursor, WireFormatError, wireType} from './wire-cursor.ts';

/** A payload as an object with field numbers as keys, and its last known field. In a oneof, the last field counts. */
export interface PayloadTree {
  readonly tree: JsonObject;
  readonly lastKnownField: number | undefined;
}

/**
 * Reads bytes without a schema, except for the known fields of a todo list. In those, ids, titles and descriptions are
 * text, and lists stay lists even with one element. All other fields follow these rules. A field that occurs once is a
 * plain value, and a repeated one is a list. Numbers are numbers, or text of digits above 2^53. Printable UTF-8 is
 * text, a message is an object (an empty one is `{}`), and any other bytes are `{"bytes": base64}`. A todo list
 * that is text instead of a message stays text. Throws a `WireFormatError` if the bytes are not a message.
 */
export function readPayloadTree(bytes: Uint8Array, place: PayloadPlace): PayloadTree {
  if (bytes.length > maxBytes) throw new WireFormatError(`more than ${maxBytes} bytes`, maxBytes);
  const reading = {bytes, fields: 0};
  const parts = new Map<number, Part[]>();
  let lastKnownField: number | undefined;
  walk(reading, {from: 0, to: bytes.length}, part => {
    addTo(parts, part);
    if (isKnownPayloadField(part.number) && part.type === wireType.lengthDelimited) lastKnownField = part.number;
  });
  const shapes = new Map(
    [...parts].map(([number, found]) => [
      number,
      {
        shape: payloadFieldShape(number, place, () => found.some(part => holdsList(bytes, part))),
        holds: 'one' as const,
      },
    ]),
  );
  return {tree: objectOf(parts, {reading, shape: shapes, depth: 0}), lastKnownField};
}

const maxBytes = 16 * 1024 * 1024;
/** Bounds the memory for small fields: a field of two bytes becomes an object. */
const maxFields = 1_000_000;

const isKnownPayloadField = (field: number): boolean =>
  field === payloadField.snapshot || field === payloadField.running || field === payloadField.cleared;

interface Reading {
  readonly bytes: Uint8Array;
  fields: number;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Part extends Range {
  readonly number: number;
  readonly type: number;
}

function walk(reading: Reading, range: Range, visit: (part: Part) => void): void {
  const cursor = new WireCursor(reading.bytes, range);
  while (cursor.next()) {
    reading.fields += 1;
    if (reading.fields > maxFields) throw new WireFormatError(`more than ${maxFields} fields`, cursor.start);
    visit({number: cursor.number, type: cursor.type, from: cursor.from, to: cursor.to});
  }
  if (cursor.error !== undefined) throw cursor.error;
}

function addTo(parts: Map<number, Part[]>, part: Part): void {
  const found = parts.get(part.number);
  if (found === undefined) parts.set(part.number, [part]);
  else found.push(part);
}

/** The input, the expected shape, and the depth inside the payload. */
interface At {
  readonly reading: Reading;
  readonly shape: PayloadShape;
  readonly depth: number;
}

function objectOf(parts: ReadonlyMap<number, readonly Part[]>, {reading, shape, depth}: At): JsonObject {
  const tree: {[key: string]: Json} = {};
  for (const [number, found] of parts) {
    const known = (typeof shape === 'string' ? undefined : shape.get(number)) ?? unknownField;
    const values = valuesOf(found, known.holds, {reading, shape: known.shape, depth});
    const [first] = values;
    tree[number] = values.length === 1 && first !== undefined && known.holds === 'one' ? first : values;
  }
  return tree;
}

const unknownField = {shape: 'guess', holds: 'one'} as const;

function valuesOf(found: readonly Part[], holds: 'one' | 'list', at: At): readonly Json[] {
  if (typeof at.shape === 'string' || holds === 'list') return found.map(part => valueOf(part, at));
  // A repeated message is merged. A value of another type is an unknown field.
  const isOne = (part: Part): boolean => part.type === wireType.lengthDelimited && !isOnlyText(at.reading.bytes, part);
  const messages = found.filter(isOne);
  const others = found.filter(part => !isOne(part));
  const merged = messages.length === 0 ? [] : [messageOf(messages, at)];
  return [...merged, ...others.map(part => valueOf(part, {...at, shape: 'guess'}))];
}

function valueOf(part: Part, at: At): Json {
  const {bytes} = at.reading;
  switch (part.type) {
    case wireType.varint:
      return varintOf(bytes, part);
    case wireType.fixed32:
    case wireType.fixed64:
      return fixedOf(bytes, part);
    case wireType.group:
      return messageOf([part], {...at, shape: unknownShape});
    default:
      if (at.shape === 'text') return strictText(bytes, part);
      if (at.shape === 'guess' || isOnlyText(bytes, part)) return guessOf(part, at);
      return messageOf([part], at);
  }
}

function messageOf(ranges: readonly Range[], {reading, shape, depth}: At): JsonObject {
  if (depth >= maxNesting) throw new WireFormatError(tooDeep, ranges[0]?.from ?? 0);
  const parts = new Map<number, Part[]>();
  for (const range of ranges) {
    walk(reading, range, part => {
      addTo(parts, part);
    });
  }
  return objectOf(parts, {reading, shape, depth: depth + 1});
}

/**
 * Guesses a value. Printable text wins over a message, unless it starts with a line feed (tag 1 of a message) and is
 * a valid message as a whole.
 */
function guessOf(part: Part, at: At): Json {
  const {bytes} = at.reading;
  if (part.from === part.to) return {};
  const text = printableText(bytes, part);
  const mayBeMessage = text === undefined || bytes[part.from] === lineFeed;
  if (mayBeMessage && isMessage(bytes, part)) return messageOf([part], {...at, shape: unknownShape});
  return text ?? {bytes: encodeBase64(bytes.subarray(part.from, part.to))};
}

/** True if a field with a message's number holds text. Other payloads may use these numbers for other things. */
function isOnlyText(bytes: Uint8Array, part: Range): boolean {
  const first = bytes[part.from] ?? 0;
  return (
    part.from < part.to && first !== lineFeed && !isMessage(bytes, part) && printableText(bytes, part) !== undefined
  );
}

function isMessage(bytes: Uint8Array, range: Range): boolean {
  const cursor = new WireCursor(bytes, range);
  while (cursor.next());
  return cursor.error === undefined;
}

/** True if a message's first field is a list of todos: of items that each have a readable id. */
function holdsList(bytes: Uint8Array, message: Range): boolean {
  const cursor = new WireCursor(bytes, message);
  let found = false;
  while (cursor.next()) {
    if (cursor.number !== resultField.list || cursor.type !== wireType.lengthDelimited) continue;
    if (!isList(bytes, cursor)) return false;
    found = true;
  }
  return found && cursor.error === undefined;
}

function isList(bytes: Uint8Array, range: Range): boolean {
  const cursor = new WireCursor(bytes, range);
  while (cursor.next()) {
    const isItems = cursor.number === snapshotField.pending || cursor.number === snapshotField.completed;
    if (!isItems || cursor.type !== wireType.lengthDelimited || !isItem(bytes, cursor)) return false;
  }
  return cursor.error === undefined;
}

function isItem(bytes: Uint8Array, range: Range): boolean {
  const cursor = new WireCursor(bytes, range);
  let id = '';
  while (cursor.next()) {
    if (cursor.number === itemField.id && cursor.type === wireType.lengthDelimited)
      id = printableText(bytes, cursor) ?? '';
  }
  return cursor.error === undefined && id !== '' && !/[\t\n\r]/u.test(id);
}

function varintOf(bytes: Uint8Array, {from, to}: Range): Json {
  if (to - from === 1) return bytes[from] ?? 0;
  let value = 0n;
  for (let at = to - 1; at >= from; at -= 1) value = (value << 7n) | BigInt((bytes[at] ?? 0) & 0x7f);
  return exact(BigInt.asUintN(64, value));
}

function fixedOf(bytes: Uint8Array, {from, to}: Range): Json {
  let value = 0n;
  for (let at = to - 1; at >= from; at -= 1) value = (value << 8n) | BigInt(bytes[at] ?? 0);
  return exact(value);
}

const exact = (value: bigint): Json => (value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value));

const utf8 = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true});
const lineFeed = 0x0a;

function strictText(bytes: Uint8Array, range: Range): string {
  const text = decoded(bytes, range);
  if (text === undefined) throw new WireFormatError('text that is not UTF-8', range.from);
  return text;
}

const decoded = (bytes: Uint8Array, {from, to}: Range): string | undefined =>
  tryOr(() => utf8.decode(bytes.subarray(from, to)), undefined);

/** Returns the text if it is UTF-8 without control characters other than tabs and line breaks. */
function printableText(bytes: Uint8Array, range: Range): string | undefined {
  for (let at = range.from; at < range.to; at += 1) {
    const byte = bytes[at] ?? 0;
    if ((byte < 0x20 && byte !== 0x09 && byte !== lineFeed && byte !== 0x0d) || byte === 0x7f) return undefined;
  }
  return decoded(bytes, range);
}

/**
 * Converts a payload that was decoded elsewhere to the form that `readPayloadTree` returns. Decoders without a schema
 * turn a list of one into its element, an empty message into `""`, and an id of digits into a number. JSON has no
 * order for several known fields, so the one with the most information counts.
 */
export function normalizePayloadTree(given: JsonObject, place: PayloadPlace): PayloadTree {
  const tree: {[key: string]: Json} = {};
  for (const [key, value] of Object.entries(given)) {
    const shape = payloadFieldShape(Number(key), place, () =>
      messagesIn(value).some(message => treeHoldsList(message)),
    );
    tree[key] = normalizeValue(value, shape);
  }
  return {tree, lastKnownField: byPrecedence.find(field => isJsonObject(tree[field]))};
}

const byPrecedence = [payloadField.snapshot, payloadField.running, payloadField.cleared] as const;

function normalizeValue(value: Json, shape: PayloadShape): Json {
  if (shape === 'guess') return value;
  if (shape === 'text') return typeof value === 'number' ? String(value) : value;
  const messages = messagesIn(value);
  return messages.length === 0 ? value : normalizeMessage(messages, shape);
}

function normalizeMessage(messages: readonly JsonObject[], shape: MessageShape): JsonObject {
  const tree: {[key: string]: Json} = {};
  for (const message of messages) {
    for (const [key, value] of Object.entries(message)) {
      const known = shape.get(Number(key));
      if (known?.holds !== 'list') tree[key] = known === undefined ? value : normalizeValue(value, known.shape);
      else tree[key] = [...listIn(tree[key]), ...listIn(value).map(one => normalizeValue(one, known.shape))];
    }
  }
  return tree;
}

const listIn = (value: Json | undefined): readonly Json[] => {
  if (value === undefined || value === null) return [];
  return isJsonList(value) ? value : [value];
};

const messagesIn = (value: Json | undefined): readonly JsonObject[] =>
  listIn(value)
    .map(one => (one === '' ? {} : one))
    .filter(isJsonObject);

/** True if the first field is a list of todos and not of texts. */
function treeHoldsList(message: JsonObject): boolean {
  const inner = listIn(message[resultField.list]);
  return (
    inner.length > 0 && inner.every(one => one === '' || (isJsonObject(one) && Object.entries(one).every(isListField)))
  );
}

const isListField = ([key, value]: readonly [string, Json]): boolean =>
  (key === String(snapshotField.pending) || key === String(snapshotField.completed)) &&
  listIn(value).every(one => one === '' || isJsonObject(one));

/**
 * Encodes a payload with numbers as keys, the reverse of `readPayloadTree` as far as possible. Numbers become
 * varints, and text stays text even if it is all digits. Members that can't be encoded, such as a key that is not a
 * number, are dropped.
 */
export function encodePayloadTree(tree: JsonObject): Uint8Array {
  const writer = new Writer();
  writeMessage(writer, tree, 0);
  return writer.finish();
}

function writeMessage(writer: Writer, tree: JsonObject, depth: number): void {
  if (depth >= maxNesting) return;
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
    const raw = typeof value['bytes'] === 'string' ? decodeBase64(value['bytes']) : undefined;
    if (raw?.tag === 'ok') tag(wireType.lengthDelimited).bytes(raw.value);
    else {
      tag(wireType.lengthDelimited).fork();
      writeMessage(writer, value, depth + 1);
      writer.ldelim();
    }
  }
}
