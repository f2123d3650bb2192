import type {TodoId} from './ids.ts';

export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled';

/** One step of the work. `description` is the longer text or, from TodoWrite, the form shown while it runs. */
export interface Todo {
  readonly id: TodoId;
  readonly title: string;
  readonly description: string;
  readonly status: TodoStatus;
}

/** In display order: completed in order of completion, then the rest in list order. */
export type TodoList = readonly Todo[];
