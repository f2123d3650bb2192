/**
 * Field numbers of the opaque task payloads: of the payload itself, of the list a snapshot holds, of the ids a running mark
 * holds, of the list in a result of 9 or 11, and of an item.
 */
export const payloadField = {snapshot: 2, running: 9, cleared: 11} as const;
export const snapshotField = {pending: 1, completed: 2} as const;
export const runningField = {ids: 1} as const;
export const resultField = {list: 1} as const;
export const itemField = {id: 1, title: 2, description: 3} as const;

/**
 * Where a payload stood, since 9 says different things in a call (ids) and in its result (a list). `anywhere` is for payloads
 * whose place is not known: what 9 and 11 hold decides.
 */
export type PayloadPlace = 'call' | 'result' | 'event' | 'anywhere';

/** What is known of the payloads: which fields are text, which are messages, and which of them come as lists. */
export type Shape = 'text' | 'guess' | MessageShape;
export type MessageShape = ReadonlyMap<number, {readonly shape: Shape; readonly holds: 'one' | 'list'}>;

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
export const shapeless: MessageShape = new Map();

/** Of the message in a field of the payload; `findsList` looks whether its first field holds a list of todos. */
export function shapeIn(field: number, place: PayloadPlace, findsList: () => boolean): Shape {
  switch (field) {
    case payloadField.snapshot:
      return listShape;
    case payloadField.running:
      return place !== 'call' && findsList() ? resultShape : idsShape;
    case payloadField.cleared:
      return place !== 'call' && findsList() ? resultShape : shapeless;
    default:
      return 'guess';
  }
}
