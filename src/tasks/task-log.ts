import {unreachable} from '../base/unreachable.ts';
import {fieldOf, reaches} from '../protocol/task/field-mask.ts';
import type {ClientAction, PayloadRead, ProtocolMessage, ResponseEvent} from '../protocol/task/response-event.ts';
import {newsIn, newsOf, ToldTodos, type TodoNews} from '../protocol/task/told-todos.ts';
import {Transactions} from '../protocol/task/transactions.ts';
import type {TaskView} from './task-view.ts';

/** The fold of a task-protocol stream to its todo list. */
export interface TaskLog {
  readonly view: TaskView;
  /** Takes the next event; the view is another object only where the event changed something. */
  takeEvent(event: ResponseEvent): TaskView;
  /** Takes a payload that came by itself, without the event around it. */
  takePayload(payload: PayloadRead): TaskView;
}

/** A transaction that is rolled back leaves neither list nor memory behind; a new stream has none open. */
export function makeTaskLog(): TaskLog {
  const todos = new ToldTodos();
  const transactions = new Transactions([todos]);

  function takeAction(action: ClientAction): void {
    switch (action.kind) {
      case 'create-task':
        action.task.messages.forEach(take);
        break;
      case 'add-messages':
        action.messages.forEach(take);
        break;
      case 'update-message': {
        // An upsert: of a message that is known, only what the mask names has changed.
        const {message, mask} = action;
        if (!todos.knows(message.id) || reaches(mask, fieldOf(message.body))) take(message);
        break;
      }
      case 'move-messages':
        action.newTask.messages.forEach(take);
        action.replacements.forEach(take);
        break;
      case 'begin':
        transactions.begin();
        break;
      case 'commit':
      case 'rollback':
        transactions.end(action.kind);
        break;
      // Appending is for text. What it appends to has been heard, and nothing is appended to a message that is not known.
      case 'append-content':
      case 'update-summary':
      case 'update-description':
      case 'other':
        break;
      default:
        unreachable(action);
    }
  }

  const take = ({id, body}: ProtocolMessage): void => tell(id, newsIn(body));

  function tell(messageId: string, news: TodoNews | undefined): void {
    if (news !== undefined) todos.tell(messageId, news);
  }

  return {
    get view() {
      return todos.list;
    },
    takePayload(payload) {
      tell('', newsOf(payload));
      return todos.list;
    },
    takeEvent(event) {
      if (event.kind === 'init') transactions.commitAll();
      if (event.kind === 'client-actions') event.actions.forEach(takeAction);
      return todos.list;
    },
  };
}
