import type {TodoList} from '../../domain/todo.ts';
import {todoWords} from '../commands/todo.ts';
import {countOf, sentences, spokenLabel} from './action-words.ts';

/** The whole list, one line each. */
export const todoLines = (todos: TodoList): readonly string[] =>
  todos.map(({title, status}, at) => `${at + 1}. ${spokenLabel(title)}: ${todoWords[status]}.`);

/** What has changed of the list, on one line; empty when nothing has. */
export function todoLine(before: TodoList, after: TodoList): string {
  const known = new Map(before.map(todo => [todo.id, todo]));
  const added = after.filter(({id}) => !known.has(id));
  const now = (status: string): readonly string[] =>
    after
      .filter(todo => todo.status === status && known.get(todo.id)?.status !== status)
      .map(({title}) => spokenLabel(title));
  const [done, running, cancelled] = [now('completed'), now('in_progress'), now('cancelled')];
  const gone = before.filter(({id}) => after.every(todo => todo.id !== id)).length;
  const said = [
    ...(added.length === 0 ? [] : [`new: ${added.map(({title}) => spokenLabel(title)).join(', ')}`]),
    ...(done.length === 0 ? [] : [`done: ${done.join(', ')}`]),
    ...(cancelled.length === 0 ? [] : [`dropped: ${cancelled.join(', ')}`]),
    ...(running.length === 0 ? [] : [`now: ${running.join(', ')}`]),
    ...(gone === 0 ? [] : [`${countOf(gone, 'item')} gone`]),
  ];
  const over = after.filter(({status}) => status === 'completed' || status === 'cancelled').length;
  return said.length === 0 ? '' : sentences([`Todos ${over} of ${after.length} done`, ...said]);
}
