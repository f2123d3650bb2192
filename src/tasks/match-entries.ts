import type {TodoEntry} from '../actions/ports.ts';
import {todoId, type TodoId} from '../domain/ids.ts';
import type {Todo, TodoList} from '../domain/todo.ts';

/** What a model sent as the whole of its list, and when: the first list of a prompt may be that of a new task. */
export interface ListWrite {
  readonly entries: readonly TodoEntry[];
  readonly moment: 'first-of-prompt' | 'later';
}

export interface Matched {
  /** The entries as todos, in their order, without the cancelled ones. */
  readonly todos: TodoList;
  /** What no entry was about. */
  readonly left: TodoList;
  readonly hasCommonTitle: boolean;
}

/**
 * Finds the todo that each entry is about: one of the same id and title, else of the same title, else of the same id (a new
 * title for it). Each todo belongs to one entry. All else is new, under the id the model chose if that is free.
 *
 * Models that count their entries give every list the ids 1, 2, 3: where the first list of a prompt repeats no title, its ids
 * say nothing of the old todos.
 */
export function matchEntries(current: TodoList, {entries, moment}: ListWrite, newId: () => TodoId): Matched {
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

/** An id that was made may repeat one that a model chose for an entry of its own. */
function freshId(used: ReadonlySet<TodoId>, newId: () => TodoId): TodoId {
  const made = newId();
  let id = made;
  for (let suffix = 2; used.has(id); suffix += 1) id = todoId(`${made}-${suffix}`);
  return id;
}
