import type {AgentEvent, SessionInfo} from '../actions/agent-event.ts';
import type {Message} from '../domain/conversation.ts';
import {historyOf} from '../domain/history.ts';
import type {TodoId} from '../domain/ids.ts';
import type {OpenSession} from '../domain/journal.ts';
import type {ModelPort} from './ports.ts';
import {makeTodoKeeper, type TodoKeeper} from './todo-keeper.ts';
import {UsageMeter} from './usage-meter.ts';

/** Everything that belongs to one session and is replaced as a whole when another one is opened. */
export interface Conversation {
  readonly session: OpenSession;
  readonly origin: SessionInfo['origin'];
  /** Valid history; grows as the session goes on. */
  readonly messages: Message[];
  /** What a resumed session's todo list is decoded from. */
  readonly todoFrames: readonly Uint8Array[];
  readonly meter: UsageMeter;
  /** Keys of what the user allowed for this session. */
  readonly grants: Set<string>;
  readonly todos: TodoKeeper;
}

/** Reads a session's journal into a conversation that can go on; calls a killed process left open get a cancelled result. */
export function openConversation(options: {
  readonly session: OpenSession;
  readonly origin: SessionInfo['origin'];
  readonly model: ModelPort;
  readonly newTodoId: () => TodoId;
  readonly publish: (events: readonly AgentEvent[]) => void;
}): Conversation {
  const {session, origin, model, newTodoId, publish} = options;
  const {messages, todoFrames} = historyOf(session.records);
  const keep = (frames: readonly Uint8Array[]): void => {
    session.append({kind: 'todo-frames', frames});
    publish([{event: 'todos-framed', frames}]);
  };
  return {
    session,
    origin,
    messages: [...messages],
    todoFrames,
    meter: new UsageMeter(model, session.records),
    grants: new Set(),
    todos: makeTodoKeeper({frames: todoFrames, newId: newTodoId, keep}),
  };
}
