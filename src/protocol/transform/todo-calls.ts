import type {JsonObject} from '../../base/json.ts';
import type {TaskItem} from '../../domain/task-payload.ts';
import type {MessageBody, ProtocolMessage} from '../task/response-event.ts';
import type {TodoState} from '../task/todo-state.ts';
import {newsIn, ToldTodos} from '../task/told-todos.ts';
import type {Revertible} from '../task/transactions.ts';
import type {Call} from './call-queue.ts';

/**
 * What an answer says of its todo list, as calls: `TodoWrite` with the whole list where it was cleared or told anew,
 * `TaskStatusUpdate` where todos began to run. A message that comes again with what it said already makes no call, nor does an
 * operation that changes nothing.
 */
export class TodoCalls implements Revertible {
  readonly #todos = new ToldTodos();

  /** The call for a message, if it says anything new of todos. */
  tell({id, body}: ProtocolMessage): Call | undefined {
    const news = newsIn(body);
    const before = this.#todos.list;
    if (news === undefined || this.#todos.tell(id, news) === 'known') return undefined;
    const callId = callIdOf(body);
    const named = {id: callId === '' && id !== '' ? `call_${id}` : callId};
    if (news.kind === 'running') {
      const input = {task_ids: news.ids, status: 'in_progress'};
      return news.ids.length === 0 ? undefined : {...named, name: 'TaskStatusUpdate', input};
    }
    if (body.kind === 'update-todos' && this.#todos.list === before) return undefined;
    return {...named, name: 'TodoWrite', input: listOf(this.#todos.list)};
  }

  begin(): void {
    this.#todos.begin();
  }

  commit(): void {
    this.#todos.commit();
  }

  rollback(): void {
    this.#todos.rollback();
  }
}

const callIdOf = (body: MessageBody): string =>
  body.kind === 'tool-call' || body.kind === 'tool-result' ? body.callId : '';

/** The item form that readers of the task protocol give `TodoWrite`, Chinese active forms included: pending, then completed. */
const listOf = ({pending, completed, running}: TodoState): JsonObject => ({
  todos: [
    ...pending.map(item => entryOf(item, running.has(item.id) ? 'in_progress' : 'pending')),
    ...completed.map(item => entryOf(item, 'completed')),
  ],
});

const entryOf = ({title}: TaskItem, status: 'pending' | 'in_progress' | 'completed'): JsonObject => ({
  content: title,
  status,
  activeForm: `${status === 'completed' ? '已完成' : '执行'} ${title}`,
});
