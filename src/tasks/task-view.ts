import {unreachable} from '../base/unreachable.ts';
import type {TodoId} from '../domain/ids.ts';
import type {TaskItem, TaskPayload} from '../domain/task-payload.ts';
import type {Todo, TodoList, TodoStatus} from '../domain/todo.ts';
import {decodePayload} from '../protocol/task/decode-payload.ts';

/** The todo list as the frames of the task protocol tell it. */
export interface TaskView {
  readonly pending: readonly TaskItem[];
  /** In order of completion. */
  readonly completed: readonly TaskItem[];
  /** Marks over the pending items. A mark may be ahead of the snapshot that brings its item. */
  readonly running: ReadonlySet<TodoId>;
  /** Frames that could not be read; they changed nothing. */
  readonly unreadable: number;
}

export const emptyTaskView: TaskView = {pending: [], completed: [], running: new Set(), unreadable: 0};

/** Folds frames into the view, in order. A frame that cannot be read is counted and otherwise ignored. */
export function applyTaskFrames(view: TaskView, frames: readonly Uint8Array[]): TaskView {
  return frames.reduce((before, frame) => {
    const payload = decodePayload(frame);
    return payload.tag === 'ok'
      ? applyTaskPayload(before, payload.value)
      : {...before, unreadable: before.unreadable + 1};
  }, view);
}

/**
 * One step of the fold. `cleared` empties the list. `snapshot` says what is pending and what is completed; running marks
 * live on where their item is still pending. `running` adds marks; one on a completed item means nothing.
 */
export function applyTaskPayload(view: TaskView, payload: TaskPayload): TaskView {
  switch (payload.kind) {
    case 'cleared':
      return {...emptyTaskView, unreadable: view.unreadable};
    case 'snapshot': {
      const completed = distinct(payload.completed, new Set());
      const pending = distinct(payload.pending, idsOf(completed));
      const stillPending = idsOf(pending);
      const running = new Set([...view.running].filter(id => stillPending.has(id)));
      return {pending, completed, running, unreadable: view.unreadable};
    }
    case 'running': {
      const done = idsOf(view.completed);
      const added = payload.ids.filter(id => !done.has(id) && !view.running.has(id));
      return added.length === 0 ? view : {...view, running: latest([...view.running, ...added], view)};
    }
    case 'other':
      return view;
    default:
      return unreachable(payload);
  }
}

/** Marks that are ahead of their items wait for no more than a while. */
const latest = (marks: readonly TodoId[], {pending}: TaskView): ReadonlySet<TodoId> =>
  new Set(marks.slice(-(pending.length + mostAhead)));

const mostAhead = 100;

/** The list in display order: completed in order of completion, then pending in list order, marked ones `in_progress`. */
export function todosOf(view: TaskView): TodoList {
  return [
    ...view.completed.map(item => todoOf(item, 'completed')),
    ...view.pending.map(item => todoOf(item, view.running.has(item.id) ? 'in_progress' : 'pending')),
  ];
}

const todoOf = ({id, title, description}: TaskItem, status: TodoStatus): Todo => ({id, title, description, status});

const idsOf = (items: readonly TaskItem[]): ReadonlySet<TodoId> => new Set(items.map(item => item.id));

/** The first item of each id, without those `taken` has: an item that is completed is not pending as well. */
function distinct(items: readonly TaskItem[], taken: ReadonlySet<TodoId>): readonly TaskItem[] {
  const seen = new Set(taken);
  return items.filter(({id}) => {
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}
