import type {FileChange, TreeId} from './checkpoint.ts';
import type {CompactionTokens, CompactionWay} from './compaction.ts';
import type {AssistantMessage, Message, ToolResultBlock, UserMessage} from './conversation.ts';
import type {ActionId, MessageId, SessionId} from './ids.ts';
import type {Usage} from './usage.ts';

/**
 * What happened in a session, append-only. The results of an assistant message's calls are kept one by one as they settle and
 * joined into one user message when the history is read, so that a process killed between two of them loses neither.
 */
export type JournalRecord =
  | {readonly kind: 'prompt'; readonly message: UserMessage}
  /** What the host told the model behind an answer, in a message of its own: part of the conversation, but nobody's prompt. */
  | {readonly kind: 'reminder'; readonly message: UserMessage}
  | {readonly kind: 'answer'; readonly message: AssistantMessage}
  /** Text of an answer while it still comes; counts only where the answer itself was never kept. */
  | {
      readonly kind: 'piece';
      readonly message: MessageId;
      readonly model: string;
      readonly index: number;
      readonly text: string;
    }
  | {readonly kind: 'result'; readonly result: ToolResultBlock}
  /** Task-protocol payloads, in the order in which they apply. */
  | {readonly kind: 'todo-frames'; readonly frames: readonly Uint8Array[]}
  | {
      readonly kind: 'approval';
      readonly id: ActionId;
      readonly label: string;
      readonly decision: 'allowed' | 'refused';
      readonly by: 'user' | 'rule' | 'hook' | 'nobody';
    }
  /** The files before the first action of a prompt that may change them, and after everything it started has settled. */
  | {
      readonly kind: 'checkpoint';
      readonly prompt: MessageId;
      readonly moment: 'before' | 'after';
      readonly tree: TreeId;
    }
  /** Went back to before the prompt `to`, or took the compaction `to` back. What was said since stays in the journal and counts no more, unless only files went back. */
  | {
      readonly kind: 'rewind';
      readonly to: MessageId;
      readonly what: RewindScope;
      readonly files: FileChange | 'untouched';
    }
  /** Took the latest rewind back. */
  | {readonly kind: 'redo'; readonly files: FileChange | 'untouched'}
  /**
   * From here on the conversation is `messages`, a valid history, and what follows. What was said before stays in the journal.
   * A rewind to `id` takes the compaction back, and nothing else.
   */
  | {
      readonly kind: 'compaction';
      readonly id: MessageId;
      readonly way: CompactionWay;
      readonly summary: string;
      readonly messages: readonly Message[];
      readonly tokens: CompactionTokens;
    }
  /** Usage of a request that left no message behind. */
  | {readonly kind: 'usage'; readonly model: string; readonly usage: Usage};

/** What goes back: the files, what was said, or both. */
export const rewindScopes = ['files', 'talk', 'both'] as const;
export type RewindScope = (typeof rewindScopes)[number];

/** One row of a session list. Times are milliseconds since the epoch. */
export interface SessionSummary {
  readonly id: SessionId;
  /** The first line of the first prompt. */
  readonly title: string;
  readonly directory: string;
  readonly model: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messages: number;
}

/** A session that this process may write to. */
export interface OpenSession {
  readonly id: SessionId;
  readonly records: readonly JournalRecord[];
  /** Written when it returns. */
  append(record: JournalRecord): void;
  /** Lets other processes open it. */
  close(): void;
}
