import protobuf, {Type} from 'protobufjs';
import {schema} from './task-protocol.proto';

/** Returns a public message of the task protocol by name (`ResponseEvent`). The schema is loaded on first use. */
export function messageType(name: string): Type {
  let type = types.get(name);
  if (type === undefined) {
    root ??= readSchema();
    type = root.lookupType(`weft.task.${name}`);
    types.set(name, type);
  }
  return type;
}

/** Names by both of their spellings. */
export type OneOf = ReadonlyMap<string, string>;

/** Returns the names of the fields of a message's oneof, read from the schema on first use. */
export function oneOfNames(message: string, oneof: string): () => OneOf {
  let names: OneOf | undefined;
  return () => (names ??= mapBothSpellings(messageType(message).oneofs[oneof]?.oneof ?? [], name => name));
}

/** Maps both spellings of each name, snake_case and camelCase, to a value. */
export const mapBothSpellings = <Value>(names: readonly string[], valueOf: (name: string) => Value) =>
  new Map(names.flatMap(name => [name, camelCase(name)].map(spelled => [spelled, valueOf(name)] as const)));

export function camelCase(name: string): string {
  let spelled = camelCases.get(name);
  if (spelled === undefined) {
    spelled = name.replaceAll(/_([a-z0-9])/gu, (_match, letter: string) => letter.toUpperCase());
    if (camelCases.size < 1000) camelCases.set(name, spelled);
  }
  return spelled;
}

const camelCases = new Map<string, string>();

export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/gu, letter => `_${letter.toLowerCase()}`);

const types = new Map<string, Type>();
let root: protobuf.Root | undefined;

function readSchema(): protobuf.Root {
  const read = new protobuf.Root();
  for (const file of ['duration', 'empty', 'field_mask', 'struct', 'timestamp']) {
    const known = protobuf.common.get(`google/protobuf/${file}.proto`);
    if (known?.nested !== undefined) read.addJSON(known.nested);
  }
  protobuf.parse(schema, read, {keepCase: true});
  read.resolveAll();
  unlink(read);
  return read;
}

/**
 * Unlinks the fields of oneofs. Otherwise, setting one deletes all the others, present or not, which makes decoding
 * half as fast. Without the link, a message with two of them, which no writer produces, keeps both. `whichOneOf`
 * takes the last one.
 */
function unlink(space: protobuf.NamespaceBase): void {
  for (const inner of space.nestedArray) {
    if (inner instanceof Type)
      for (const field of inner.fieldsArray) if (field.resolvedType instanceof Type) field.partOf = null;
    if (inner instanceof protobuf.Namespace) unlink(inner);
  }
}

/**
 * Field numbers of the opaque task payloads. They belong to the payload itself, a snapshot's list, a running mark's
 * ids, the list in a result of 9 or 11, and an item.
 */
export const payloadField = {snapshot: 2, running: 9, cleared: 11} as const;
export const snapshotField = {pending: 1, completed: 2} as const;
export const runningField = {ids: 1} as const;
export const resultField = {list: 1} as const;
export const itemField = {id: 1, title: 2, description: 3} as const;

/**
 * The place of a payload. Field 9 holds ids in a call and a list in its result. `anywhere` means that the place is
 * unknown; then the content of 9 and 11 decides.
 */
export type PayloadPlace = 'call' | 'result' | 'event' | 'anywhere';

/** The known fields of the payloads: which ones are text, messages or lists. */
export type PayloadShape = 'text' | 'guess' | MessageShape;
export type MessageShape = ReadonlyMap<number, {readonly shape: PayloadShape; readonly holds: 'one' | 'list'}>;

const itemShape: MessageShape = new Map([
  [itemField.id, {shape: 'text', holds: 'one'}],
  [itemField.title, {shape: 'text', holds: 'one'}],
  [itemField.description, {shape: 'text', holds: 'one'}],
]);

const listShape: MessageShape = new Map([
  [snapshotField.pending, {shape: itemShape, holds: 'list'}],
  [snapshotField.completed, {shape: itemShape, holds: 'list'}],
]);

const idsShape: MessageShape = new Map([[runningField.ids, {shape: 'text', holds: 'list'}]]);
const resultShape: MessageShape = new Map([[resultField.list, {shape: listShape, holds: 'one'}]]);
export const unknownShape: MessageShape = new Map();

/** Returns the shape of a payload field. `findsList` checks whether the message's first field holds a list of todos. */
export function payloadFieldShape(field: number, place: PayloadPlace, findsList: () => boolean): PayloadShape {
  switch (field) {
    case payloadField.snapshot:
      return listShape;
    case payloadField.running:
      return place !== 'call' && findsList() ? resultShape : idsShape;
    case payloadField.cleared:
      return place !== 'call' && findsList() ? resultShape : unknownShape;
    default:
      return 'guess';
  }
}
