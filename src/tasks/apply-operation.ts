import {unreachable} from '../base/unreachable.ts';
import type {TodoOperation} from '../protocol/task/response-event.ts';
import {applyTaskPayload, type TaskView} from './task-view.ts';

/**
 * One of the protocol's public operations. `create` begins a list: what is open becomes what it gives. `update-pending` says what
 * is open and leaves what is completed. `mark-completed` moves open items to the end of the completed ones, in the order given;
 * ids that are not open are ignored.
 */
export function applyOperation(view: TaskView, operation: TodoOperation): TaskView {
  const {completed} = view;
  switch (operation.kind) {
    case 'create':
    case 'update-pending':
      return applyTaskPayload(view, {kind: 'snapshot', pending: operation.todos, completed});
    case 'mark-completed': {
      const open = new Map(view.pending.map(item => [item.id, item]));
      const done = [...new Set(operation.ids)].flatMap(id => open.get(id) ?? []);
      if (done.length === 0) return view;
      return applyTaskPayload(view, {kind: 'snapshot', pending: view.pending, completed: [...completed, ...done]});
    }
    case 'other':
      return view;
    default:
      return unreachable(operation);
  }
}
