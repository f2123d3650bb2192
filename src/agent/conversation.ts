import type {AgentEvent, SessionInfo} from '../actions/agent-event.ts';
import type {Message} from '../domain/conversation.ts';
import {historyFromJournal} from '../domain/history.ts';
import type {JournalRecord, OpenSession} from '../domain/journal.ts';
import {instructionsFileIn} from '../domain/reminder.ts';
import type {AgentPorts} from './ports.ts';
import {type DocumentStore, makeDocumentStore} from './document-store.ts';
import {makeTodoStore, type TodoStore} from './todo-store.ts';
import {UsageMeter} from './usage-meter.ts';

/** Everything that belongs to one stored session and is replaced as a whole when another one is opened. */
export interface OpenConversation {
  readonly journal: OpenSession;
  readonly origin: SessionInfo['origin'];
  /** A valid history for the model; grows as the conversation goes on. */
  readonly messages: Message[];
  /** The task-protocol payloads from which a resumed session's todo list is decoded. */
  readonly todoFrames: readonly Uint8Array[];
  readonly usage: UsageMeter;
  readonly grants: Set<string>;
  readonly todos: TodoStore;
  readonly documents: DocumentStore;
  /** The instruction files of folders that the model has been given, by path. */
  readonly toldInstructions: Set<string>;
}

interface ConversationDeps {
  readonly ports: Pick<AgentPorts, 'model' | 'ids' | 'replaceText' | 'secrets'>;
  readonly publish: (events: readonly AgentEvent[]) => void;
}

/** Reads a journal into a conversation that can go on. Calls that a killed process left open get a cancelled result. */
export function openConversation(
  journal: OpenSession,
  origin: SessionInfo['origin'],
  {ports, publish}: ConversationDeps,
): OpenConversation {
  const {messages, todoFrames} = historyFromJournal(journal.records);
  const keep = (frames: readonly Uint8Array[]): void => {
    journal.append({kind: 'todo-frames', frames});
    publish([{event: 'todos-framed', frames}]);
  };
  return {
    journal,
    origin,
    messages: [...messages],
    todoFrames,
    usage: new UsageMeter(ports.model, journal.records),
    grants: new Set(),
    todos: makeTodoStore({frames: todoFrames, newId: () => ports.ids.todo(), keep}),
    documents: makeDocumentStore(journal, ports),
    toldInstructions: new Set(messages.flatMap(({blocks}) => blocks.flatMap(instructionsOf))),
  };
}

const instructionsOf = (block: Message['blocks'][number]): readonly string[] =>
  block.kind === 'tool-result' ? block.content.flatMap(part => instructionsFileIn(part) ?? []) : [];

/**
 * The same conversation read again from its journal, after a rewind or a compaction. What the user allowed and what was spent
 * stays.
 */
export function reopenConversation(
  {journal, origin, grants, usage}: OpenConversation,
  deps: ConversationDeps,
): OpenConversation {
  usage.follow(journal.records);
  return {...openConversation(journal, origin, deps), grants, usage};
}

/**
 * The same session, whose `records` also hold what is appended from now on: a rewind reads them. Records of kind `piece` are left
 * out, since the answer that they belong to follows.
 */
export function recordingSession(session: OpenSession): OpenSession {
  const records: JournalRecord[] = [...session.records];
  return {
    id: session.id,
    records,
    append(record) {
      session.append(record);
      if (record.kind !== 'piece') records.push(record);
    },
    close: () => session.close(),
  };
}
