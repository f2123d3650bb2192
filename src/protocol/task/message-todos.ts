import {unreachable} from '../../base/unreachable.ts';
import type {TaskPayload} from '../../domain/task-payload.ts';
import type {DecodedPayload} from './payload.ts';
import type {MessageBody, TodoOperation} from './response-event.ts';
import {RevertibleMap} from './transactions.ts';
import {applyOperation, applyPayload, emptyTodos, type TodoState} from './todo-state.ts';

/**
 * The todo list, built from the messages of a stream. A message applies when it arrives, and only once: the same
 * message with the same content changes nothing. A message with new content applies again. If it created the list, it
 * then changes the list and does not create it again. Transactions can be rolled back, and they nest.
 */
export class MessageTodos {
  #current: TodoSnapshot = {list: emptyTodos, begunBy: ''};
  /** The state when each open transaction began. */
  readonly #savepoints: TodoSnapshot[] = [];
  /** The last change from each message. */
  readonly #lastChanges = new RevertibleMap<string>({limit: maxRememberedChars, weightOf: said => said.length + 64});

  get list(): TodoState {
    return this.#current.list;
  }

  /** True if a message with this id has changed anything. */
  hasApplied(messageId: string): boolean {
    return this.#lastChanges.get(messageId) !== undefined;
  }

  /** Applies the change of a message. Returns `known` if this change was applied already. A message without an id always counts as new. */
  apply(messageId: string, news: TodoChange): 'new' | 'known' {
    const before = messageId === '' ? undefined : this.#lastChanges.get(messageId);
    if (messageId !== '') {
      const said = JSON.stringify(news);
      if (said === before) return 'known';
      this.#lastChanges.set(messageId, said);
    }
    this.#current = applyChange(this.#current, {messageId, isKnown: before !== undefined, news});
    return 'new';
  }

  begin(): void {
    this.#savepoints.push(this.#current);
    this.#lastChanges.begin();
  }

  commit(): void {
    this.#savepoints.pop();
    this.#lastChanges.commit();
  }

  rollback(): void {
    this.#current = this.#savepoints.pop() ?? this.#current;
    this.#lastChanges.rollback();
  }
}

/** A change to the todo list: the meaning of an opaque payload, or a public operation. */
export type TodoChange = Exclude<TaskPayload | TodoOperation, {readonly kind: 'other'}>;

/** Returns the todo change in a message, or `undefined` if it has none or can't be read. */
export function todoChangeInMessage(body: MessageBody): TodoChange | undefined {
  if (body.kind !== 'update-todos') return todoChangeInPayload(messagePayload(body));
  return body.operation.kind === 'other' ? undefined : body.operation;
}

/** Returns the todo change in a payload, or `undefined` if it has none. */
export const todoChangeInPayload = (payload: DecodedPayload | undefined): TodoChange | undefined =>
  payload?.tag === 'ok' && payload.meaning.kind !== 'other' ? payload.meaning : undefined;

/** Returns the opaque payload of a message, or `undefined` if it has none. */
export function messagePayload(body: MessageBody): DecodedPayload | undefined {
  switch (body.kind) {
    case 'server-event':
      return body.payload;
    case 'tool-call':
      return body.call.kind === 'server' ? body.call.payload : undefined;
    case 'tool-result':
      return body.result.kind === 'server' ? body.result.payload : undefined;
    default:
      return undefined;
  }
}

interface TodoSnapshot {
  readonly list: TodoState;
  /** The message that created the list; `''` if none did. */
  readonly begunBy: string;
}

interface IncomingChange {
  readonly messageId: string;
  readonly isKnown: boolean;
  readonly news: TodoChange;
}

function applyChange({list, begunBy}: TodoSnapshot, {messageId, isKnown, news}: IncomingChange): TodoSnapshot {
  switch (news.kind) {
    case 'create':
      if (!isKnown) return {list: applyOperation(list, news), begunBy: messageId};
      return {list: begunBy === messageId ? applyOperation(list, {...news, kind: 'update-pending'}) : list, begunBy};
    case 'update-pending':
    case 'mark-completed':
      return {list: applyOperation(list, news), begunBy};
    case 'cleared':
    case 'snapshot':
    case 'running':
      return {list: applyPayload(list, news), begunBy};
    default:
      return unreachable(news);
  }
}

/** The maximum number of characters that are remembered to recognize repeated messages. The oldest are dropped. */
const maxRememberedChars = 4 * 1024 * 1024;
