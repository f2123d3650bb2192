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
import {deepestNesting, tooDeep, WireCursor, WireFormatError, wireType} from './wire-cursor.ts';

/** A payload as an object with field numbers as keys, and the last of the known fields in it: of a oneof the last one counts. */
export interface PayloadTree {
  readonly tree: JsonObject;
  readonly lastKnownField: number | undefined;
}

/**
 * Reads bytes without a schema, except that what a todo list consists of is known. There, ids, titles and descriptions are text
 * and lists are lists also of one. Elsewhere a field that comes once is a plain value, one that comes again a list; numbers are
 * numbers, or text of digits beyond 2^53; what is printable UTF-8 is text, what is a message is an object (nothing at all is `{}`),
 * and any other bytes are `{"bytes": base64}`. Text where a todo list would have a message is text all the same. Throws a
 * `WireFormatError` on bytes that are no message.
 */
export function readPayloadTree(bytes: Uint8Array, place: PayloadPlace): PayloadTree {
  if (bytes.length > maxBytes) throw new WireFormatError(`more than ${maxBytes} bytes`, maxBytes);
  const reading = {bytes, fields: 0};
  const parts = new Map<number, Part[]>();
  let lastKnownField: number | undefined;
  walk(reading, {from: 0, to: bytes.length}, part => {
    addTo(parts, part);
    if (isSaying(part.number) && part.type === wireType.lengthDelimited) lastKnownField = part.number;
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
/** Bounds the memory that small fields can ask for: a field of two bytes becomes an object. */
const maxFields = 1_000_000;

const isSaying = (field: number): boolean =>
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

/** What is being read, as what, and how deep inside of the payload. */
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
  // A message that may be there once and is there again is the two merged; of another kind it is an unknown field.
  const isOne = (part: Part): boolean =>
    part.type === wireType.lengthDelimited && !isNothingButText(at.reading.bytes, part);
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
      if (at.shape === 'guess' || isNothingButText(bytes, part)) return guessOf(part, at);
      return messageOf([part], at);
  }
}

function messageOf(ranges: readonly Range[], {reading, shape, depth}: At): JsonObject {
  if (depth >= deepestNesting) throw new WireFormatError(tooDeep, ranges[0]?.from ?? 0);
  const parts = new Map<number, Part[]>();
  for (const range of ranges) {
    walk(reading, range, part => {
      addTo(parts, part);
    });
  }
  return objectOf(parts, {reading, shape, depth: depth + 1});
}

/** Printable text wins over a message, except where it starts with a line feed (tag 1 of a message) and is one throughout. */
function guessOf(part: Part, at: At): Json {
  const {bytes} = at.reading;
  if (part.from === part.to) return {};
  const text = printable(bytes, part);
  const mayBeMessage = text === undefined || bytes[part.from] === lineFeed;
  if (mayBeMessage && isMessage(bytes, part)) return messageOf([part], {...at, shape: unknownShape});
  return text ?? {bytes: encodeBase64(bytes.subarray(part.from, part.to))};
}

/** Whether what should be a message is text: the numbers of the todo payloads may mean other things in other payloads. */
function isNothingButText(bytes: Uint8Array, part: Range): boolean {
  const first = bytes[part.from] ?? 0;
  return part.from < part.to && first !== lineFeed && !isMessage(bytes, part) && printable(bytes, part) !== undefined;
}

function isMessage(bytes: Uint8Array, range: Range): boolean {
  const cursor = new WireCursor(bytes, range);
  while (cursor.next());
  return cursor.error === undefined;
}

/** Whether a message's first field is a list of todos: of items, each with an id that can be read. */
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
    if (cursor.number === itemField.id && cursor.type === wireType.lengthDelimited) id = printable(bytes, cursor) ?? '';
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

/** The text, where it is UTF-8 without control characters other than tab and line ends. */
function printable(bytes: Uint8Array, range: Range): string | undefined {
  for (let at = range.from; at < range.to; at += 1) {
    const byte = bytes[at] ?? 0;
    if ((byte < 0x20 && byte !== 0x09 && byte !== lineFeed && byte !== 0x0d) || byte === 0x7f) return undefined;
  }
  return decoded(bytes, range);
}

/**
 * A payload that somebody else has decoded, as `readTree` would have read it. Decoders without a schema leave a list of one as
 * its element, an empty message as `""`, an id of digits as a number. Where several known fields are given, which JSON cannot
 * put in order, the one that says most counts.
 */
export function normalizePayloadTree(given: JsonObject, place: PayloadPlace): PayloadTree {
  const tree: {[key: string]: Json} = {};
  for (const [key, value] of Object.entries(given)) {
    const shape = payloadFieldShape(Number(key), place, () =>
      messagesIn(value).some(message => treeHoldsList(message)),
    );
    tree[key] = normal(value, shape);
  }
  return {tree, lastKnownField: byWeight.find(field => isJsonObject(tree[field]))};
}

const byWeight = [payloadField.snapshot, payloadField.running, payloadField.cleared] as const;

function normal(value: Json, shape: PayloadShape): Json {
  if (shape === 'guess') return value;
  if (shape === 'text') return typeof value === 'number' ? String(value) : value;
  const messages = messagesIn(value);
  return messages.length === 0 ? value : normalMessage(messages, shape);
}

/** A message given several times is all of them merged. */
function normalMessage(messages: readonly JsonObject[], shape: MessageShape): JsonObject {
  const tree: {[key: string]: Json} = {};
  for (const message of messages) {
    for (const [key, value] of Object.entries(message)) {
      const known = shape.get(Number(key));
      if (known?.holds !== 'list') tree[key] = known === undefined ? value : normal(value, known.shape);
      else tree[key] = [...listIn(tree[key]), ...listIn(value).map(one => normal(one, known.shape))];
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

/** As `shapeIn` asks for it: whether the first field is a list of todos, which of texts it is not. */
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
 * The bytes of a payload in the form with numbers as keys: the way back from `readTree`, as far as the form tells. Numbers become
 * varints, text (also of digits) text. What has no place in a message, such as a key that is no number, is left out.
 */
export function encodePayloadTree(tree: JsonObject): Uint8Array {
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
    const raw = typeof value['bytes'] === 'string' ? decodeBase64(value['bytes']) : undefined;
    if (raw?.tag === 'ok') tag(wireType.lengthDelimited).bytes(raw.value);
    else {
      tag(wireType.lengthDelimited).fork();
      writeMessage(writer, value, depth + 1);
      writer.ldelim();
    }
  }
}
