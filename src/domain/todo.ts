import type {TodoId} from './ids.ts';

export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled';

/** One entry of the todo list. `description` is a longer text or, from TodoWrite, the text that is shown while the todo runs. */
export interface Todo {
  readonly id: TodoId;
  readonly title: string;
  readonly description: string;
  readonly status: TodoStatus;
}

/** The todos in display order: completed ones in order of completion, then the rest in list order. */
export type TodoList = readonly Todo[];
