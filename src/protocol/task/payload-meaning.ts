import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {todoId, type TodoId} from '../../domain/ids.ts';
import type {TaskItem, TaskPayload} from '../../domain/task-payload.ts';
import {itemField, payloadField, resultField, runningField, snapshotField} from './payload-fields.ts';
import type {PayloadPlace} from './payload-fields.ts';
import type {PayloadTree} from './payload-tree.ts';

/** What a payload says of tasks; `undefined` where it says nothing of them. */
export function meaningOf({tree, said}: PayloadTree, place: PayloadPlace): TaskPayload | undefined {
  const message = said === undefined ? undefined : objectsIn(tree[said])[0];
  if (message === undefined) return undefined;
  const [snapshot] = objectsIn(tree[payloadField.snapshot]);
  const runs = runningIn(objectsIn(tree[payloadField.running])[0], place);
  if (said === payloadField.snapshot) return snapshotOf(message, runs);
  const [list] = place === 'call' ? [] : objectsIn(message[resultField.list]);
  if (list !== undefined && hasLists(list)) return snapshotOf(list, []);
  if (said === payloadField.cleared) return {kind: 'cleared'};
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
