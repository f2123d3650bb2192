import {unreachable} from '../../base/unreachable.ts';
import type {TodoId} from '../../domain/ids.ts';
import type {TaskItem, TaskPayload} from '../../domain/task-payload.ts';
import type {TodoOperation} from '../task/response-event.ts';

/** The todo list as far as an answer told it. */
export interface TodoState {
  readonly pending: readonly TaskItem[];
  readonly completed: readonly TaskItem[];
  /** Marks over pending items. */
  readonly running: ReadonlySet<TodoId>;
  /** The message whose operation began the list; `''` where none did. */
  readonly begunBy: string;
}

export const noTodos: TodoState = {pending: [], completed: [], running: new Set(), begunBy: ''};

/** The list after an opaque payload. */
export function applyPayload(state: TodoState, payload: TaskPayload): TodoState {
  switch (payload.kind) {
    case 'cleared':
      return {...noTodos, begunBy: state.begunBy};
    case 'snapshot':
      return settled({...state, pending: payload.pending, completed: payload.completed});
    case 'running': {
      const done = idsOf(state.completed);
      return {...state, running: new Set([...state.running, ...payload.ids.filter(id => !done.has(id))])};
    }
    case 'other':
      return state;
    default:
      return unreachable(payload);
  }
}

/** A public operation and the message it stands in: new, or known with another operation. */
export interface ToldOperation {
  readonly messageId: string;
  readonly message: 'new' | 'changed';
  readonly operation: TodoOperation;
}

/** The list after a public operation; the same state where it changed nothing. A list is begun once and changed after that. */
export function applyOperation(state: TodoState, {messageId, message, operation}: ToldOperation): TodoState {
  switch (operation.kind) {
    case 'create':
      if (message === 'new') return settled({...state, pending: operation.todos, completed: [], begunBy: messageId});
      return state.begunBy === messageId ? settled({...state, pending: operation.todos}) : state;
    case 'update-pending':
      return settled({...state, pending: operation.todos});
    case 'mark-completed': {
      const byId = new Map(state.pending.map(item => [item.id, item]));
      const done = [...new Set(operation.ids)].flatMap(id => byId.get(id) ?? []);
      return done.length === 0 ? state : settled({...state, completed: [...state.completed, ...done]});
    }
    case 'other':
      return state;
    default:
      return unreachable(operation);
  }
}

/** Every id once, completed before pending, and marks only where their item is pending. */
function settled(state: TodoState): TodoState {
  const completed = distinct(state.completed, new Set());
  const pending = distinct(state.pending, idsOf(completed));
  const open = idsOf(pending);
  return {...state, pending, completed, running: new Set([...state.running].filter(id => open.has(id)))};
}

/** Items without an id are each their own. */
function distinct(items: readonly TaskItem[], taken: ReadonlySet<TodoId>): readonly TaskItem[] {
  const seen = new Set(taken);
  return items.filter(({id}) => {
    if (id === '') return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

const idsOf = (items: readonly TaskItem[]): ReadonlySet<TodoId> => new Set(items.map(item => item.id));
