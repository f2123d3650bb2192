import {unreachable} from '../../base/unreachable.ts';
import type {TodoId} from '../../domain/ids.ts';
import type {TaskItem, TaskPayload} from '../../domain/task-payload.ts';
import type {TodoOperation} from './response-event.ts';

/** The todo list of the task protocol. Every id occurs once, and completed items have no marks. */
export interface TodoState {
  readonly pending: readonly TaskItem[];
  /** In order of completion. */
  readonly completed: readonly TaskItem[];
  /** The ids marked as running. A mark may arrive before the snapshot that contains its item. */
  readonly running: ReadonlySet<TodoId>;
}

export const emptyTodos: TodoState = {pending: [], completed: [], running: new Set()};

/**
 * Applies an opaque payload. `cleared` empties the list. `snapshot` replaces the pending and completed items; marks
 * stay if their item is still pending, and the snapshot's own marks are added. `running` adds marks, but not to
 * completed items.
 */
export function applyPayload(state: TodoState, payload: TaskPayload): TodoState {
  switch (payload.kind) {
    case 'cleared':
      return emptyTodos;
    case 'snapshot':
      return withMarks(withItems(state, payload.pending, payload.completed), payload.running);
    case 'running':
      return withMarks(state, payload.ids);
    case 'other':
      return state;
    default:
      return unreachable(payload);
  }
}

/**
 * Applies a public operation. `create` starts a new list of pending items. `update-pending` replaces the pending
 * items and keeps the completed ones. `mark-completed` moves pending items to the end of the completed ones, in the
 * given order; ids that are not pending are ignored.
 */
export function applyOperation(state: TodoState, operation: TodoOperation): TodoState {
  const {pending, completed} = state;
  switch (operation.kind) {
    case 'create':
      return withItems(state, operation.todos, []);
    case 'update-pending':
      return withItems(state, operation.todos, completed);
    case 'mark-completed': {
      const open = new Map(pending.map(item => [item.id, item]));
      const done = [...new Set(operation.ids)].flatMap(id => open.get(id) ?? []);
      return done.length === 0 ? state : withItems(state, pending, [...completed, ...done]);
    }
    case 'other':
      return state;
    default:
      return unreachable(operation);
  }
}

function withMarks(state: TodoState, ids: readonly TodoId[]): TodoState {
  const done = idsOf(state.completed);
  const added = ids.filter(id => id !== '' && !done.has(id) && !state.running.has(id));
  return added.length === 0 ? state : {...state, running: keepLatest([...state.running, ...added], state)};
}

function withItems({running}: TodoState, open: readonly TaskItem[], done: readonly TaskItem[]): TodoState {
  const completed = withoutDuplicates(done, new Set());
  const pending = withoutDuplicates(open, idsOf(completed));
  const stillPending = idsOf(pending);
  return {pending, completed, running: new Set([...running].filter(id => stillPending.has(id)))};
}

/** Keeps a limited number of marks whose items have not arrived yet. */
const keepLatest = (marks: readonly TodoId[], {pending}: TodoState): ReadonlySet<TodoId> =>
  new Set(marks.slice(-(pending.length + maxAhead)));

const maxAhead = 100;

const idsOf = (items: readonly TaskItem[]): ReadonlySet<TodoId> => new Set(items.map(item => item.id));

/** Returns the first item of each id, without the ids in `taken`: a completed item is not pending as well. Items without an id stay. */
function withoutDuplicates(items: readonly TaskItem[], taken: ReadonlySet<TodoId>): readonly TaskItem[] {
  const seen = new Set(taken);
  return items.filter(({id}) => {
    if (id === '') return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}
