import type {TodoEntry} from '../actions/ports.ts';
import {todoId, type TodoId} from '../domain/ids.ts';
import type {TaskItem, TaskPayload} from '../domain/task-payload.ts';
import type {Todo, TodoList} from '../domain/todo.ts';
import {encodePayload} from '../protocol/task/encode-payload.ts';

/**
 * The list after a model has sent the whole of it. An entry keeps the id it names, else the id of an entry of equal title,
 * else gets a new one; an id is used once, so of two entries that name the same the second is matched by title or is new.
 * The outcome is in display order: what was completed before stays in its order, newly completed entries follow, then the
 * rest as listed. Cancelled entries leave the list, as the task protocol has no mark for them.
 */
export function replaceTodos(current: TodoList, entries: readonly TodoEntry[], newId: () => TodoId): TodoList {
  const kept = entries.filter(({status}) => status !== 'cancelled').map(wellFormed);
  const named = keepNamedIds(kept);
  const taken = new Set(named.filter(id => id !== undefined));
  const next = kept.map((entry, index): Todo => {
    const id =
      named[index] ??
      idByTitle({current, title: entry.title, taken}) ??
      freshId(new Set([...taken, ...current.map(todo => todo.id)]), newId);
    taken.add(id);
    return {id, title: entry.title, description: entry.description, status: entry.status};
  });
  return inDisplayOrder(current, next);
}

/**
 * The payloads that turn a view of `before` into a view of exactly `after`, as few as will do: 11 where a mark must end
 * without its item being completed, 2 where items changed, 9 for the marks that are missing. Both lists are in display order
 * with distinct ids, as `replaceTodos` and `todosOf` give them.
 */
export function framesFor(before: TodoList, after: TodoList): readonly Uint8Array[] {
  return payloadsFor(before, after).map(encodePayload);
}

function payloadsFor(before: TodoList, after: TodoList): readonly TaskPayload[] {
  if (after.length === 0) return before.length === 0 ? [] : [{kind: 'cleared'}];
  const wanted = snapshotOf(after);
  const stopped = idsWith(after, 'pending');
  const mustClear = before.some(todo => todo.status === 'in_progress' && stopped.has(todo.id));
  const marked = mustClear ? new Set<TodoId>() : idsWith(before, 'in_progress');
  const missing = [...idsWith(after, 'in_progress')].filter(id => !marked.has(id));
  const payloads: TaskPayload[] = [];
  if (mustClear) payloads.push({kind: 'cleared'});
  if (mustClear || !sameSnapshot(snapshotOf(before), wanted)) payloads.push({kind: 'snapshot', ...wanted});
  if (missing.length > 0) payloads.push({kind: 'running', ids: missing});
  return payloads;
}

interface Snapshot {
  readonly pending: readonly TaskItem[];
  readonly completed: readonly TaskItem[];
}

const snapshotOf = (list: TodoList): Snapshot => ({
  pending: list.filter(todo => todo.status === 'pending' || todo.status === 'in_progress').map(itemOf),
  completed: list.filter(todo => todo.status === 'completed').map(itemOf),
});

const itemOf = ({id, title, description}: Todo): TaskItem => ({id, title, description});

const sameSnapshot = (a: Snapshot, b: Snapshot): boolean =>
  sameItems(a.pending, b.pending) && sameItems(a.completed, b.completed);

const sameItems = (a: readonly TaskItem[], b: readonly TaskItem[]): boolean =>
  a.length === b.length && a.every((item, index) => sameItem(item, b[index]));

const sameItem = (a: TaskItem, b: TaskItem | undefined): boolean =>
  a.id === b?.id && a.title === b.title && a.description === b.description;

const idsWith = (list: TodoList, status: Todo['status']): Set<TodoId> =>
  new Set(list.filter(todo => todo.status === status).map(todo => todo.id));

/** Protobuf text is UTF-8: a lone surrogate would not survive it, so that the list would differ from every view of it. */
const wellFormed = ({id, title, description, status}: TodoEntry): TodoEntry => ({
  id: id === undefined ? undefined : todoId(id.toWellFormed()),
  title: title.toWellFormed(),
  description: description.toWellFormed(),
  status,
});

/** The ids the model named, each for the first entry that names it; named ids come before all matching by title. */
function keepNamedIds(entries: readonly TodoEntry[]): readonly (TodoId | undefined)[] {
  const seen = new Set<TodoId>();
  return entries.map(({id}) => {
    if (id === undefined || id === '' || seen.has(id)) return undefined;
    seen.add(id);
    return id;
  });
}

function idByTitle({current, title, taken}: {current: TodoList; title: string; taken: ReadonlySet<TodoId>}) {
  return current.find(todo => todo.title === title && !taken.has(todo.id))?.id;
}

/** An id that was made may repeat one that a model chose for an entry of its own. */
function freshId(known: ReadonlySet<TodoId>, newId: () => TodoId): TodoId {
  const made = newId();
  let id = made;
  for (let suffix = 2; known.has(id); suffix += 1) id = todoId(`${made}-${suffix}`);
  return id;
}

function inDisplayOrder(current: TodoList, next: TodoList): TodoList {
  const completed = new Map(next.filter(todo => todo.status === 'completed').map(todo => [todo.id, todo]));
  const before = current.flatMap(todo => (todo.status === 'completed' ? (completed.get(todo.id) ?? []) : []));
  const known = new Set(before.map(todo => todo.id));
  return [
    ...before,
    ...[...completed.values()].filter(todo => !known.has(todo.id)),
    ...next.filter(todo => todo.status !== 'completed'),
  ];
}
