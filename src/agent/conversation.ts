import type {AgentEvent, SessionInfo} from '../actions/agent-event.ts';
import type {Message} from '../domain/conversation.ts';
import {historyFromJournal} from '../domain/history.ts';
import type {MessageId} from '../domain/ids.ts';
import type {JournalRecord, OpenSession} from '../domain/journal.ts';
import type {ModelRequest} from '../domain/model-stream.ts';
import {instructionsFileIn} from '../domain/reminder.ts';
import {type KnownFacts, factsInMessages} from './context/environment.ts';
import type {AgentPorts} from './ports.ts';
import {type DocumentStore, makeDocumentStore} from './document-store.ts';
import {makeTodoStore, type TodoStore} from './todo-store.ts';
import {SentTools} from './tool-registry.ts';
import {UsageMeter} from './usage-meter.ts';

/** The state of one stored session, replaced as a whole when another one is opened. */
export interface OpenConversation {
  readonly journal: OpenSession;
  readonly origin: SessionInfo['origin'];
  /** A valid history for the model. Grows with the conversation. */
  readonly messages: Message[];
  /** The task-protocol payloads of a resumed session's todo list. */
  readonly todoFrames: readonly Uint8Array[];
  readonly usage: UsageMeter;
  readonly grants: Set<string>;
  readonly todos: TodoStore;
  readonly documents: DocumentStore;
  /** The paths of the folder instruction files that the model has read. */
  readonly knownInstructions: Set<string>;
  /** The facts that the model knows. */
  readonly knownFacts: KnownFacts;
  readonly sentTools: SentTools;
  /** The last summary that the model wrote, so that weft doesn't buy it again if the user declined it. */
  keptSummary: KeptSummary | undefined;
  /** The beginning of the last request, as the journal has it. */
  readonly prefix: RequestPrefix;
}

/** A summary of the conversation up to the message `last`. */
interface KeptSummary {
  readonly text: string;
  readonly instructions: string;
  readonly last: MessageId | undefined;
}

/** `tools` is the JSON of the list `sent`. */
interface RequestPrefix {
  tools: string;
  system: string;
  sent: ModelRequest['tools'];
}

interface ConversationDeps {
  readonly ports: Pick<AgentPorts, 'model' | 'ids' | 'replaceText' | 'secrets'>;
  readonly publish: (events: readonly AgentEvent[]) => void;
}

/** Opens a conversation from its journal. Calls that a killed process left open get a cancelled result. */
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
    knownFacts: factsInMessages(messages),
    sentTools: new SentTools(journal.records, undefined),
    keptSummary: undefined,
    prefix: {tools: '', system: '', sent: [], ...journal.records.findLast(record => record.kind === 'request-prefix')},
    knownInstructions: new Set(messages.flatMap(({blocks}) => blocks.flatMap(instructionsOf))),
  };
}

/** Reads the messages again from the journal after a compaction. Unlike `reopenConversation`, it can be called while a prompt runs. */
export function replaceMessages({conversation}: {readonly conversation: OpenConversation}): void {
  const {journal, messages, usage, knownFacts, knownInstructions} = conversation;
  messages.splice(0, messages.length, ...historyFromJournal(journal.records).messages);
  usage.follow(journal.records);
  knownFacts.facts = factsInMessages(messages).facts;
  knownInstructions.clear();
  for (const {blocks} of messages) for (const path of blocks.flatMap(instructionsOf)) knownInstructions.add(path);
}

const instructionsOf = (block: Message['blocks'][number]): readonly string[] =>
  block.kind === 'tool-result' ? block.content.flatMap(part => instructionsFileIn(part) ?? []) : [];

/** Opens the same conversation again after a rewind or a compaction. Keeps the user's grants, the usage and the lists of tools. */
export function reopenConversation(
  {journal, origin, grants, usage, sentTools}: OpenConversation,
  deps: ConversationDeps,
): OpenConversation {
  usage.follow(journal.records);
  return {...openConversation(journal, origin, deps), grants, usage, sentTools};
}

/**
 * Wraps a session so that its `records` also hold what is appended from now on, for rewinds. Leaves out records of kind
 * `piece`, because the answer that they belong to follows. After a compaction, the large parts of earlier records leave the memory. They are
 * read again when they are needed, for example by a rewind.
 */
export function recordingSession(session: OpenSession): OpenSession {
  const {id, records: before, createdAt, writtenAt, append, readAgain, close} = session;
  const records: JournalRecord[] = [...before];
  /** The position of each record in the session, which has pieces, too. */
  const positions = records.map((_, at) => at);
  let count = records.length;
  let released = 0;
  const release = (end: number): void => {
    if (readAgain === undefined) return;
    for (let at = released; at < end; at += 1) {
      const [record, position] = [records[at], positions[at]];
      if (record !== undefined && position !== undefined)
        records[at] = withoutContent(record, () => readAgain(position));
    }
    released = end;
  };
  return {
    id,
    records,
    createdAt,
    writtenAt,
    append(record) {
      append(record);
      if (record.kind !== 'piece') {
        records.push(record);
        positions.push(count);
      }
      count += 1;
      if (record.kind === 'compaction') release(records.length - 1);
    },
    close,
  };
}

/** Returns a record that reads its large part with each access. */
function withoutContent(record: JournalRecord, read: () => JournalRecord | undefined): JournalRecord {
  if (record.kind === 'result')
    return {
      kind: 'result',
      result: {
        ...record.result,
        get content() {
          const again = read();
          return again?.kind === 'result' ? again.result.content : [];
        },
      },
    };
  if (record.kind === 'compaction')
    return {
      ...record,
      get messages() {
        const again = read();
        return again?.kind === 'compaction' ? again.messages : [];
      },
    };
  return record;
}
