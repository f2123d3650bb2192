import {unreachable} from '../../base/unreachable.ts';
import type {TodoId} from '../../domain/ids.ts';
import type {TaskItem, TaskPayload} from '../../domain/task-payload.ts';
import type {TodoOperation} from './response-event.ts';

/** The todo list as the task protocol tells it: every id once, and marks only where their item is not completed. */
export interface TodoState {
  readonly pending: readonly TaskItem[];
  /** In order of completion. */
  readonly completed: readonly TaskItem[];
  /** Marks over the pending items. A mark may be ahead of the snapshot that brings its item. */
  readonly running: ReadonlySet<TodoId>;
}

export const noTodos: TodoState = {pending: [], completed: [], running: new Set()};

/**
 * The list after an opaque payload. `cleared` empties it. `snapshot` says what is pending and what is completed; marks live on
 * where their item is still pending, and those that come along with it are added. `running` adds marks; one on a completed item means nothing.
 */
export function applyPayload(state: TodoState, payload: TaskPayload): TodoState {
  switch (payload.kind) {
    case 'cleared':
      return noTodos;
    case 'snapshot':
      return marked(settled(state, payload.pending, payload.completed), payload.running);
    case 'running':
      return marked(state, payload.ids);
    case 'other':
      return state;
    default:
      return unreachable(payload);
  }
}

/**
 * The list after one of the public operations. `create` begins a list: what is open becomes what it gives. `update-pending` says
 * what is open and leaves what is completed. `mark-completed` moves open items to the end of the completed ones, in the order
 * given; ids that are not open are ignored.
 */
export function applyOperation(state: TodoState, operation: TodoOperation): TodoState {
  const {pending, completed} = state;
  switch (operation.kind) {
    case 'create':
      return settled(state, operation.todos, []);
    case 'update-pending':
      return settled(state, operation.todos, completed);
    case 'mark-completed': {
      const open = new Map(pending.map(item => [item.id, item]));
      const done = [...new Set(operation.ids)].flatMap(id => open.get(id) ?? []);
      return done.length === 0 ? state : settled(state, pending, [...completed, ...done]);
    }
    case 'other':
      return state;
    default:
      return unreachable(operation);
  }
}

function marked(state: TodoState, ids: readonly TodoId[]): TodoState {
  const done = idsOf(state.completed);
  const added = ids.filter(id => id !== '' && !done.has(id) && !state.running.has(id));
  return added.length === 0 ? state : {...state, running: latest([...state.running, ...added], state)};
}

function settled({running}: TodoState, open: readonly TaskItem[], done: readonly TaskItem[]): TodoState {
  const completed = distinct(done, new Set());
  const pending = distinct(open, idsOf(completed));
  const stillPending = idsOf(pending);
  return {pending, completed, running: new Set([...running].filter(id => stillPending.has(id)))};
}

/** Marks that are ahead of their items wait for no more than a while. */
const latest = (marks: readonly TodoId[], {pending}: TodoState): ReadonlySet<TodoId> =>
  new Set(marks.slice(-(pending.length + maxAhead)));

const maxAhead = 100;

const idsOf = (items: readonly TaskItem[]): ReadonlySet<TodoId> => new Set(items.map(item => item.id));

/** The first item of each id, without those `taken` has: an item that is completed is not pending as well. One without id stays. */
function distinct(items: readonly TaskItem[], taken: ReadonlySet<TodoId>): readonly TaskItem[] {
  const seen = new Set(taken);
  return items.filter(({id}) => {
    if (id === '') return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}
