import {unreachable} from '../../base/unreachable.ts';
import type {TaskPayload} from '../../domain/task-payload.ts';
import type {DecodedPayload} from './payload.ts';
import type {MessageBody, TodoOperation} from './response-event.ts';
import {RevertibleMap} from './transactions.ts';
import {applyOperation, applyPayload, noTodos, type TodoState} from './todo-state.ts';

/**
 * The todo list as the messages of a stream tell it. What a message tells applies when it comes, and once: the same message with
 * the same content changes nothing again. One whose content has changed applies anew, except that the list it has begun is
 * changed and not begun again. What a transaction told can be taken back; transactions nest.
 */
export class MessageTodos {
  #told: Told = {list: noTodos, begunBy: ''};
  /** What was told when each open transaction began. */
  readonly #marks: Told[] = [];
  /** What each message told last. */
  readonly #said = new RevertibleMap<string>({limit: maxSaid, weightOf: said => said.length + 64});

  get list(): TodoState {
    return this.#told.list;
  }

  /** Whether a message of this id has told anything. */
  hasApplied(messageId: string): boolean {
    return this.#said.get(messageId) !== undefined;
  }

  /** Takes what a message tells; `known` if it has told that already. A message without an id is each time another one. */
  apply(messageId: string, news: TodoChange): 'told' | 'known' {
    const before = messageId === '' ? undefined : this.#said.get(messageId);
    if (messageId !== '') {
      const said = JSON.stringify(news);
      if (said === before) return 'known';
      this.#said.set(messageId, said);
    }
    this.#told = after(this.#told, {messageId, isKnown: before !== undefined, news});
    return 'told';
  }

  begin(): void {
    this.#marks.push(this.#told);
    this.#said.begin();
  }

  commit(): void {
    this.#marks.pop();
    this.#said.commit();
  }

  rollback(): void {
    this.#told = this.#marks.pop() ?? this.#told;
    this.#said.rollback();
  }
}

/** What can be told of todos: an opaque payload's meaning, or a public operation. */
export type TodoChange = Exclude<TaskPayload | TodoOperation, {readonly kind: 'other'}>;

/** What a message tells of todos; `undefined` if that is nothing, or cannot be read. */
export function todoChangeInMessage(body: MessageBody): TodoChange | undefined {
  if (body.kind !== 'update-todos') return todoChangeInPayload(messagePayload(body));
  return body.operation.kind === 'other' ? undefined : body.operation;
}

/** What a payload tells of todos. */
export const todoChangeInPayload = (payload: DecodedPayload | undefined): TodoChange | undefined =>
  payload?.tag === 'ok' && payload.meaning.kind !== 'other' ? payload.meaning : undefined;

/** The opaque payload of a message; `undefined` if it has none. */
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

interface Told {
  readonly list: TodoState;
  /** The message that began the list; `''` if none did. */
  readonly begunBy: string;
}

interface Telling {
  readonly messageId: string;
  readonly isKnown: boolean;
  readonly news: TodoChange;
}

function after({list, begunBy}: Told, {messageId, isKnown, news}: Telling): Told {
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

/** Characters that are remembered, so that what comes again is known; the oldest are forgotten. */
const maxSaid = 4 * 1024 * 1024;
