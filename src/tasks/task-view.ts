import type {TaskItem} from '../domain/task-payload.ts';
import type {Todo, TodoList, TodoStatus} from '../domain/todo.ts';
import {decodePayload} from '../protocol/task/payload.ts';
import {applyPayload, emptyTodos, type TodoState} from '../protocol/task/todo-state.ts';

/** The state that every view of the todo list is derived from. */
export type TaskView = TodoState;

export const emptyTaskView: TaskView = emptyTodos;

/** Folds frames into the view, in order. Skips frames that can't be read. */
export function applyTaskFrames(view: TaskView, frames: readonly Uint8Array[]): TaskView {
  return frames.reduce((before, frame) => {
    const payload = decodePayload(frame);
    return payload.tag === 'ok' ? applyPayload(before, payload.value) : before;
  }, view);
}

/** Returns the list in display order: completed in order of completion, then pending in list order, with marked ones as `in_progress`. */
export function todosOf(view: TaskView): TodoList {
  return [
    ...view.completed.map(item => todoOf(item, 'completed')),
    ...view.pending.map(item => todoOf(item, view.running.has(item.id) ? 'in_progress' : 'pending')),
  ];
}

const todoOf = ({id, title, description}: TaskItem, status: TodoStatus): Todo => ({id, title, description, status});
