import type {Json, JsonObject} from '../../base/json.ts';
import {base64Of} from './base64.ts';
import {payloadField, resultField, shapeIn, snapshotField, itemField, shapeless} from './payload-fields.ts';
import type {PayloadPlace, Shape} from './payload-fields.ts';
import {deepestNesting, tooDeep, WireCursor, WireTrouble, wireType} from './wire-cursor.ts';

/** A payload as an object with field numbers as keys, and the last of the known fields in it: of a oneof the last one counts. */
export interface PayloadTree {
  readonly tree: JsonObject;
  readonly said: number | undefined;
}

/**
 * Reads bytes without a schema, except that what a todo list consists of is known. There, ids, titles and descriptions are text
 * and lists are lists also of one. Elsewhere a field that comes once is a plain value, one that comes again a list; numbers are
 * numbers, or text of digits beyond 2^53; what is printable UTF-8 is text, what is a message is an object (nothing at all is `{}`),
 * and any other bytes are `{"bytes": base64}`. Text where a todo list would have a message is text all the same. Throws a
 * `WireTrouble` on bytes that are no message.
 */
export function readTree(bytes: Uint8Array, place: PayloadPlace): PayloadTree {
  if (bytes.length > mostBytes) throw new WireTrouble(`more than ${mostBytes} bytes`, mostBytes);
  const reading = {bytes, fields: 0};
  const parts = new Map<number, Part[]>();
  let said: number | undefined;
  walk(reading, {from: 0, to: bytes.length}, part => {
    addTo(parts, part);
    if (isSaying(part.number) && part.type === wireType.lengthDelimited) said = part.number;
  });
  const shapes = new Map(
    [...parts].map(([number, found]) => [
      number,
      {shape: shapeIn(number, place, () => found.some(part => holdsList(bytes, part))), holds: 'one' as const},
    ]),
  );
  return {tree: objectOf(parts, {reading, shape: shapes, depth: 0}), said};
}

const mostBytes = 16 * 1024 * 1024;
/** Bounds the memory that small fields can ask for: a field of two bytes becomes an object. */
const mostFields = 1_000_000;

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
    if (reading.fields > mostFields) throw new WireTrouble(`more than ${mostFields} fields`, cursor.start);
    visit({number: cursor.number, type: cursor.type, from: cursor.from, to: cursor.to});
  }
  if (cursor.trouble !== undefined) throw cursor.trouble;
}

function addTo(parts: Map<number, Part[]>, part: Part): void {
  const found = parts.get(part.number);
  if (found === undefined) parts.set(part.number, [part]);
  else found.push(part);
}

/** What is being read, as what, and how deep inside of the payload. */
interface At {
  readonly reading: Reading;
  readonly shape: Shape;
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
      return messageOf([part], {...at, shape: shapeless});
    default:
      if (at.shape === 'text') return strictText(bytes, part);
      if (at.shape === 'guess' || isNothingButText(bytes, part)) return guessOf(part, at);
      return messageOf([part], at);
  }
}

function messageOf(ranges: readonly Range[], {reading, shape, depth}: At): JsonObject {
  if (depth >= deepestNesting) throw new WireTrouble(tooDeep, ranges[0]?.from ?? 0);
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
  if (mayBeMessage && isMessage(bytes, part)) return messageOf([part], {...at, shape: shapeless});
  return text ?? {bytes: base64Of(bytes.subarray(part.from, part.to))};
}

/** Whether what should be a message is text: the numbers of the todo payloads may mean other things in other payloads. */
function isNothingButText(bytes: Uint8Array, part: Range): boolean {
  const first = bytes[part.from] ?? 0;
  return part.from < part.to && first !== lineFeed && !isMessage(bytes, part) && printable(bytes, part) !== undefined;
}

function isMessage(bytes: Uint8Array, range: Range): boolean {
  const cursor = new WireCursor(bytes, range);
  while (cursor.next());
  return cursor.trouble === undefined;
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
  return found && cursor.trouble === undefined;
}

function isList(bytes: Uint8Array, range: Range): boolean {
  const cursor = new WireCursor(bytes, range);
  while (cursor.next()) {
    const isItems = cursor.number === snapshotField.pending || cursor.number === snapshotField.completed;
    if (!isItems || cursor.type !== wireType.lengthDelimited || !isItem(bytes, cursor)) return false;
  }
  return cursor.trouble === undefined;
}

function isItem(bytes: Uint8Array, range: Range): boolean {
  const cursor = new WireCursor(bytes, range);
  let id = '';
  while (cursor.next()) {
    if (cursor.number === itemField.id && cursor.type === wireType.lengthDelimited) id = printable(bytes, cursor) ?? '';
  }
  return cursor.trouble === undefined && id !== '' && !/[\t\n\r]/u.test(id);
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
  if (text === undefined) throw new WireTrouble('text that is not UTF-8', range.from);
  return text;
}

function decoded(bytes: Uint8Array, {from, to}: Range): string | undefined {
  try {
    return utf8.decode(bytes.subarray(from, to));
  } catch {
    return undefined;
  }
}

/** The text, where it is UTF-8 without control characters other than tab and line ends. */
function printable(bytes: Uint8Array, range: Range): string | undefined {
  for (let at = range.from; at < range.to; at += 1) {
    const byte = bytes[at] ?? 0;
    if ((byte < 0x20 && byte !== 0x09 && byte !== lineFeed && byte !== 0x0d) || byte === 0x7f) return undefined;
  }
  return decoded(bytes, range);
}
