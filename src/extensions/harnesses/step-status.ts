import type {TodoStatus} from '../../domain/todo.ts';

/** The status of a plan's step, as ACP (`in_progress`) or Codex (`inProgress`) writes it; what is unknown is pending. */
export function stepStatus(word: string): TodoStatus {
  switch (word) {
    case 'completed':
      return 'completed';
    case 'in_progress':
    case 'inProgress':
      return 'in_progress';
    case 'cancelled':
      return 'cancelled';
    default:
      return 'pending';
  }
}
