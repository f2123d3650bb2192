import type {ReviewChange} from './code-review.ts';
import type {TreeChange, TreeId} from './checkpoint.ts';
import type {CompactionTokens, CompactionMethod, CompactionTrigger} from './compaction.ts';
import type {AssistantMessage, BlockAddress, Message, ToolResultBlock, UserMessage} from './conversation.ts';
import type {ActionId, DocumentId, MessageId, SessionId} from './ids.ts';
import type {Receipt} from './receipt.ts';
import type {Decider} from './risk.ts';
import type {SubAgent} from './sub-agent.ts';
import type {Usage} from './usage.ts';

/**
 * A record of a session's journal, which is append-only. The results of an assistant message's calls are recorded one by one as
 * they settle, so a process killed between two results loses neither. They are joined into one user message when the history is
 * read.
 */
export type JournalRecord =
  | {readonly kind: 'prompt'; readonly message: UserMessage}
  /** A message that weft added after an answer: part of the conversation, but not a prompt. */
  | {readonly kind: 'reminder'; readonly message: UserMessage}
  | {readonly kind: 'answer'; readonly message: AssistantMessage}
  /** A part of the text of an answer that is still arriving. Used only if the finished answer was never recorded. */
  | {
      readonly kind: 'piece';
      readonly message: MessageId;
      readonly model: string;
      readonly index: number;
      readonly text: string;
    }
  | {readonly kind: 'result'; readonly result: ToolResultBlock}
  /** A new document, or a new version of a document. */
  | {
      readonly kind: 'document';
      readonly id: DocumentId;
      readonly title: string;
      readonly by: 'agent' | 'user';
      readonly text: string;
    }
  /** The name that the user gave the session. The latest record counts. */
  | {readonly kind: 'title'; readonly title: string}
  /** From this record on, the conversation lacks this prompt and the work on it, because the provider declined to answer it. */
  | {readonly kind: 'declined'; readonly prompt: MessageId}
  /** The user's goal, as written. The latest record counts. */
  | {readonly kind: 'goal'; readonly text: string; readonly state: 'set' | 'met' | 'dropped'}
  | {readonly kind: 'pin'; readonly message: MessageId; readonly state: 'pinned' | 'unpinned'}
  | {readonly kind: 'review'; readonly change: ReviewChange}
  /** Task-protocol payloads, in the order in which they apply. */
  | {readonly kind: 'todo-frames'; readonly frames: readonly Uint8Array[]}
  | {
      readonly kind: 'approval';
      readonly id: ActionId;
      readonly label: string;
      readonly decision: 'allowed' | 'refused';
      readonly by: Decider;
    }
  /** The state of the files before a prompt's first action that may change them, or after all actions of the prompt have settled. */
  | {
      readonly kind: 'checkpoint';
      readonly prompt: MessageId;
      readonly moment: 'before' | 'after';
      readonly tree: TreeId;
      /**
       * When the process was last known to live, in milliseconds since the epoch, if it was killed during the prompt. The tree then leaves
       * out the files whose state at that time is unknown.
       */
      readonly killedAt?: number;
    }
  /**
   * The state of the files that a call may change, before and after it. A call that changes files at several moments has several
   * steps. `on`: a command that still ran then; `background`: what it did after the call, until its end, within one run.
   */
  | {
      readonly kind: 'step';
      readonly prompt: MessageId;
      readonly call: ActionId;
      /** When the call began, in milliseconds since the epoch. */
      readonly began: number;
      readonly ran: StepPlace;
      readonly files: TreeChange;
    }
  /**
   * A rewind to before the prompt `to`, or the undoing of the compaction `to`. Later records stay in the journal and no longer count,
   * unless only the files were rewound.
   */
  | {
      readonly kind: 'rewind';
      readonly to: MessageId;
      readonly what: RewindScope;
      readonly files: TreeChange | 'untouched';
    }
  /** From this record on, the conversation contains only the beginnings of these results. */
  | {readonly kind: 'results-shortened'; readonly results: readonly ActionId[]}
  /** From this record on, text replaces the images and documents in these blocks, because the provider can't read them. */
  | {readonly kind: 'media-left-out'; readonly blocks: readonly BlockAddress[]}
  | {readonly kind: 'redo'; readonly files: TreeChange | 'untouched'}
  /**
   * From this record on, the conversation is `messages`, a valid history, and the messages of later records. Earlier
   * records stay in the journal. A rewind to `id` undoes the compaction and nothing else.
   */
  | {
      readonly kind: 'compaction';
      readonly id: MessageId;
      readonly trigger: CompactionTrigger;
      readonly way: CompactionMethod;
      readonly summary: string;
      readonly messages: readonly Message[];
      readonly tokens: CompactionTokens;
    }
  /**
   * The first record in the session of a sub-agent. `harnessSession` is the id by which the harness resumes, once weft
   * knows it. The latest record counts.
   */
  | {readonly kind: 'agent'; readonly agent: SubAgent; readonly harnessSession: string}
  /** The usage of a sub-agent of the session, whose requests are in its own session, or of an MCP server that asked the model. */
  | {
      readonly kind: 'agent-usage';
      readonly model: string;
      readonly usage: Usage;
      readonly costUsd: number | 'unknown';
    }
  /** The tools (as JSON) and the system prompt of the requests from this record on. Only for reports about the provider's cache. */
  | {readonly kind: 'request-prefix'; readonly tools: string; readonly system: string}
  /** A run of a check, by the agent, a sub-agent, the user or weft. */
  | {readonly kind: 'receipt'; readonly receipt: Receipt}
  /** The usage of a request whose answer is not part of the conversation. */
  | {readonly kind: 'usage'; readonly model: string; readonly usage: Usage};

/** The ways in which the command of a step ran. */
export const stepPlaces = ['foreground', 'background', 'on'] as const;
export type StepPlace = (typeof stepPlaces)[number];

/** The part that a rewind reverts: the files, the conversation (`talk`), or both. */
export const rewindScopes = ['files', 'talk', 'both'] as const;
export type RewindScope = (typeof rewindScopes)[number];

/** One row of a session list. Times are milliseconds since the epoch. */
export interface SessionSummary {
  readonly id: SessionId;
  /** The name that the user gave the session, or the first line of the first prompt. */
  readonly title: string;
  readonly directory: string;
  readonly model: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messages: number;
}

/** The model of a session in which an MCP client calls the tools. `--continue` passes over it. */
export const mcpClientModel = 'mcp-client';

/** Selects rows of a session list: the newest ones, those whose id begins with a text, or those without a model. */
export interface SessionFilter {
  readonly limit?: number | undefined;
  readonly idPrefix?: string | undefined;
  readonly withoutModel?: string | undefined;
}

/** A session that this process has opened for writing. */
export interface OpenSession {
  readonly id: SessionId;
  readonly records: readonly JournalRecord[];
  /** When the session began, and when the latest of `records` was written, in milliseconds since the epoch. `undefined` for a new session. */
  readonly createdAt?: number | undefined;
  readonly writtenAt?: number | undefined;
  /** Appends a record. The record is on disk when the call returns. */
  append(this: void, record: JournalRecord): void;
  /** Reads a record again, by its position among `records` and those appended since. Missing if the session is not saved. */
  readonly readAgain?: (position: number) => JournalRecord | undefined;
  close(this: void): void;
}
