import type {TodoEntry} from '../actions/ports.ts';
import {todoId, type TodoId} from '../domain/ids.ts';
import type {TaskItem, TaskPayload} from '../domain/task-payload.ts';
import type {Todo, TodoList} from '../domain/todo.ts';
import {encodePayload} from '../protocol/task/payload.ts';

export interface ListUpdate {
  /** In display order. */
  readonly todos: TodoList;
  /** Open todos that the model left out. They are still on the list. */
  readonly keptOpen: TodoList;
  /** Whether completed todos of an earlier task left the list. */
  readonly archived: 'nothing' | 'earlier-task';
}

/**
 * Returns the list after a model has written it. A todo keeps its id if its title or id is repeated. Open todos that
 * are left out stay as pending ones at the end; to drop one, the model sends it as cancelled. Completed todos that are
 * left out stay until a new task begins or an empty list is sent. A new task begins if, in the first list of a prompt,
 * everything was completed or no title is in both lists.
 */
export function updateList(current: TodoList, write: ListWrite, newId: () => TodoId): ListUpdate {
  const entries = write.entries.map(wellFormed);
  const {todos, left, hasCommonTitle} = matchEntries(current, {entries, moment: write.moment}, newId);
  const isNewTask =
    entries.length === 0 ||
    (write.moment === 'first-of-prompt' && (!hasCommonTitle || current.every(todo => todo.status === 'completed')));
  const leftDone = left.filter(todo => todo.status === 'completed');
  const keptOpen = left.filter(isOpen).map((todo): Todo => ({...todo, status: 'pending'}));
  return {
    todos: inDisplayOrder(current, [...(isNewTask ? [] : leftDone), ...todos, ...keptOpen]),
    keptOpen,
    archived: isNewTask && leftDone.length > 0 ? 'earlier-task' : 'nothing',
  };
}

/**
 * Returns the payloads of an update. If the update archives an earlier task, the first payload is `cleared` (field 11),
 * as for every new list of the protocol.
 */
export function framesOfUpdate(before: TodoList, {todos, archived}: ListUpdate): readonly Uint8Array[] {
  const isNewList = archived === 'earlier-task' && todos.length > 0;
  return isNewList ? [encodePayload({kind: 'cleared'}), ...framesFor([], todos)] : framesFor(before, todos);
}

/**
 * Returns the fewest payloads that turn a view of `before` into exactly `after`. Payload 11 is needed if a mark must end
 * without its item being completed, 2 if items changed, and 9 for missing marks. Both lists are in display order with distinct ids, as from
 * `updateList` and `todosOf`.
 */
export function framesFor(before: TodoList, after: TodoList): readonly Uint8Array[] {
  return payloadsFor(before, after).map(encodePayload);
}

export const isOpen = ({status}: Todo): boolean => status === 'pending' || status === 'in_progress';

function payloadsFor(before: TodoList, after: TodoList): readonly TaskPayload[] {
  if (after.length === 0) return before.length === 0 ? [] : [{kind: 'cleared'}];
  const wanted = snapshotOf(after);
  const stopped = idsWith(after, 'pending');
  const mustClear = before.some(todo => todo.status === 'in_progress' && stopped.has(todo.id));
  const marked = mustClear ? new Set<TodoId>() : idsWith(before, 'in_progress');
  const missing = [...idsWith(after, 'in_progress')].filter(id => !marked.has(id));
  const payloads: TaskPayload[] = [];
  if (mustClear) payloads.push({kind: 'cleared'});
  if (mustClear || !sameSnapshot(snapshotOf(before), wanted)) payloads.push({kind: 'snapshot', ...wanted, running: []});
  if (missing.length > 0) payloads.push({kind: 'running', ids: missing});
  return payloads;
}

interface Snapshot {
  readonly pending: readonly TaskItem[];
  readonly completed: readonly TaskItem[];
}

const snapshotOf = (list: TodoList): Snapshot => ({
  pending: list.filter(isOpen).map(itemOf),
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

/** Protobuf text is UTF-8. A lone surrogate would not survive it, and the list would differ from its views. */
const wellFormed = ({id, title, description, status}: TodoEntry): TodoEntry => ({
  id: id === undefined ? undefined : todoId(id.toWellFormed()),
  title: title.toWellFormed(),
  description: description.toWellFormed(),
  status,
});

/** Orders todos: those completed before keep their order, newly completed ones follow, then the rest as listed. */
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

/** The whole list as a model sent it, and whether it is the first list of a prompt, which may be for a new task. */
export interface ListWrite {
  readonly entries: readonly TodoEntry[];
  readonly moment: 'first-of-prompt' | 'later';
}

export interface MatchedEntries {
  /** The entries as todos, in order, without cancelled ones. */
  readonly todos: TodoList;
  readonly left: TodoList;
  readonly hasCommonTitle: boolean;
}

/**
 * Finds the todo for each entry: one with the same id and title, else with the same title, else with the same id (retitled).
 * Each todo belongs to one entry. Other entries are new, under the id that the model chose if it is free.
 * Models that count entries use the ids 1, 2, 3 in every list. If the first list of a prompt repeats no title, its ids don't refer to old
 * todos.
 */
function matchEntries(current: TodoList, {entries, moment}: ListWrite, newId: () => TodoId): MatchedEntries {
  const titles = new Set(current.map(({title}) => title));
  const hasCommonTitle = entries.some(({title}) => titles.has(title));
  const byId = new Map(current.map(todo => [todo.id, todo]));
  const taken = new Set<TodoId>();
  const found: (TodoId | undefined)[] = entries.map(() => undefined);
  const pass = (match: (entry: TodoEntry) => TodoId | undefined): void => {
    for (const [at, entry] of entries.entries()) {
      if (found[at] !== undefined) continue;
      const id = match(entry);
      if (id === undefined || taken.has(id)) continue;
      found[at] = id;
      taken.add(id);
    }
  };
  pass(({id, title}) => (id !== undefined && byId.get(id)?.title === title ? id : undefined));
  const untaken = idsByTitle(current.filter(({id}) => !taken.has(id)));
  pass(({title}) => untaken.get(title)?.shift());
  if (hasCommonTitle || moment === 'later') {
    pass(({id}) => (id !== undefined && byId.has(id) ? id : undefined));
  }
  const used = new Set([...byId.keys(), ...entries.flatMap(({id}) => id ?? [])]);
  const todos = entries.flatMap(({id: named, title, description, status}, at): readonly Todo[] => {
    if (status === 'cancelled') return [];
    let id = found[at];
    if (id === undefined) {
      const isFree = named !== undefined && named !== '' && !byId.has(named) && !taken.has(named);
      id = isFree ? named : freshId(used, newId);
      taken.add(id);
      used.add(id);
    }
    return [{id, title, description, status}];
  });
  return {todos, left: current.filter(({id}) => !taken.has(id)), hasCommonTitle};
}

function idsByTitle(list: TodoList): ReadonlyMap<string, TodoId[]> {
  const ids = new Map<string, TodoId[]>();
  for (const {id, title} of list) {
    const same = ids.get(title);
    if (same === undefined) ids.set(title, [id]);
    else same.push(id);
  }
  return ids;
}

/** Returns a new id. It gets a suffix if a model chose the same id for another entry. */
function freshId(used: ReadonlySet<TodoId>, newId: () => TodoId): TodoId {
  const made = newId();
  let id = made;
  for (let suffix = 2; used.has(id); suffix += 1) id = todoId(`${made}-${suffix}`);
  return id;
}
