import {jsonText, isJsonObject, parseJson, type Json} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {todoId, type TodoId} from '../domain/ids.ts';
import type {Todo, TodoList, TodoStatus} from '../domain/todo.ts';

/** Writes the list as `weft tasks watch --json` prints it: one line of JSON, without its line feed. */
export const writeTodosLine = (todos: TodoList): string => jsonText({todos});

/**
 * Reads such a line and returns the list in display order, whatever its own order. Leaves out cancelled todos: the protocol can only omit
 * them. A todo without an id, or with an empty one, gets the id of the todo of equal title in `before`, or a new one.
 */
export function readTodosLine(line: string, before: TodoList): Outcome<TodoList, string> {
  const parsed = parseJson(line);
  if (parsed.tag === 'failed') return failed(`not JSON: ${parsed.error}`);
  const {value} = parsed;
  if (!isJsonObject(value) || !Array.isArray(value['todos'])) return failed('not a list: {"todos":[…]} is expected');
  const entries: WrittenTodo[] = [];
  for (const [at, written] of value['todos'].entries()) {
    const entry = readTodo(written);
    if (entry.tag === 'failed') return failed(`todos[${at}]: ${entry.error}`);
    entries.push(entry.value);
  }
  const twice = firstRepeated(entries.flatMap(({id}) => id ?? []));
  if (twice !== undefined) return failed(`two todos have the id ${JSON.stringify(twice)}`);
  const todos = withIds(entries, before).filter(({status}) => status !== 'cancelled');
  return ok([
    ...todos.filter(({status}) => status === 'completed'),
    ...todos.filter(({status}) => status !== 'completed'),
  ]);
}

interface WrittenTodo {
  readonly id: TodoId | undefined;
  readonly title: string;
  readonly description: string;
  readonly status: TodoStatus;
}

function readTodo(written: Json): Outcome<WrittenTodo, string> {
  if (!isJsonObject(written)) return failed('not an object');
  const {id, title, description = '', status = 'pending'} = written;
  if (title === undefined) return failed('the title is missing');
  if (typeof title !== 'string') return failed('the title is not a string');
  if (typeof description !== 'string') return failed('the description is not a text');
  if (id !== undefined && typeof id !== 'string') return failed('the id is not a text');
  const known = statuses.find(one => one === status);
  if (known === undefined) return failed(`the status is none of ${statuses.join(', ')}`);
  return ok({
    // A lone surrogate has no UTF-8 form, so every reader of the events would see a different text.
    id: id === undefined || id === '' ? undefined : todoId(id.toWellFormed()),
    title: title.toWellFormed(),
    description: description.toWellFormed(),
    status: known,
  });
}

const statuses: readonly TodoStatus[] = ['pending', 'in_progress', 'completed', 'cancelled'];

function firstRepeated(ids: readonly TodoId[]): TodoId | undefined {
  const seen = new Set<TodoId>();
  return ids.find(id => {
    if (seen.has(id)) return true;
    seen.add(id);
    return false;
  });
}

function withIds(entries: readonly WrittenTodo[], before: TodoList): TodoList {
  const used = new Set(entries.flatMap(({id}) => id ?? []));
  const byTitle = new Map(before.map(todo => [todo.title, todo.id]));
  let count = 0;
  const freshId = (): TodoId => {
    do count += 1;
    while (used.has(todoId(`todo-${count}`)));
    return todoId(`todo-${count}`);
  };
  return entries.map(({id: named, ...entry}): Todo => {
    const same = byTitle.get(entry.title);
    const id = named ?? (same === undefined || used.has(same) ? freshId() : same);
    used.add(id);
    return {id, ...entry};
  });
}
