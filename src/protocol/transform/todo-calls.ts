import type {JsonObject} from '../../base/json.ts';
import type {TaskItem, TaskPayload} from '../../domain/task-payload.ts';
import type {TodoOperation} from '../task/response-event.ts';
import type {Call} from './call-queue.ts';
import {RevertibleMap} from './revertible-map.ts';
import {applyOperation, applyPayload, noTodos, type TodoState} from './todo-state.ts';

/**
 * What an answer says of its todo list, as calls: `TodoWrite` with the whole list where it was cleared or told anew,
 * `TaskStatusUpdate` where todos began to run. A message that comes again with what it said already makes no call.
 */
export class TodoCalls {
  #state: TodoState = noTodos;
  /** The state when each open transaction began. */
  readonly #marks: TodoState[] = [];
  /** What each message said last. */
  readonly #said = new RevertibleMap<string>({limit: 1024 * 1024, weightOf: said => said.length + 64});

  /** The call for an opaque payload. `callId` is the id of the tool call the payload belongs to, `''` for an event. */
  tell({messageId, callId, payload}: {messageId: string; callId: string; payload: TaskPayload}): Call | undefined {
    if (payload.kind === 'other' || this.#hear(messageId, payload) === 'same') return undefined;
    this.#state = applyPayload(this.#state, payload);
    const id = callId === '' ? idFor(messageId) : callId;
    if (payload.kind !== 'running') return {id, name: 'TodoWrite', input: listOf(this.#state)};
    if (payload.ids.length === 0) return undefined;
    return {id, name: 'TaskStatusUpdate', input: {task_ids: payload.ids, status: 'in_progress'}};
  }

  /** The call for a public operation, if it changes the list or creates one. */
  operate(messageId: string, operation: TodoOperation): Call | undefined {
    if (operation.kind === 'other') return undefined;
    const message = this.#hear(messageId, operation);
    if (message === 'same') return undefined;
    const before = this.#state;
    this.#state = applyOperation(before, {messageId, message, operation});
    if (this.#state === before) return undefined;
    return {id: idFor(messageId), name: 'TodoWrite', input: listOf(this.#state)};
  }

  begin(): void {
    this.#marks.push(this.#state);
    this.#said.begin();
  }

  commit(): void {
    this.#marks.pop();
    this.#said.commit();
  }

  rollback(): void {
    this.#state = this.#marks.pop() ?? this.#state;
    this.#said.rollback();
  }

  /** Whether the message is new, or says something else than before. One without an id is always new. */
  #hear(messageId: string, what: TaskPayload | TodoOperation): 'new' | 'changed' | 'same' {
    if (messageId === '') return 'new';
    const said = JSON.stringify(what);
    const before = this.#said.get(messageId);
    if (before === said) return 'same';
    this.#said.set(messageId, said);
    return before === undefined ? 'new' : 'changed';
  }
}

const idFor = (messageId: string): string => (messageId === '' ? '' : `call_${messageId}`);

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
