import type {ShownCheck} from '../text/check-text.ts';
import type {AgentOutput} from './agent-outputs.ts';
import type {ReadImage} from '../../actions/files-port.ts';
import type {
  Approval,
  CompactionOffer,
  PromptEnd,
  SessionInfo,
  SessionUsage,
  SettledCall,
} from '../../actions/agent-event.ts';
import type {Action} from '../../actions/catalogue.ts';
import type {Question} from '../../actions/ports.ts';
import type {FileDiff, Preview} from '../../actions/preview.ts';
import type {Effort} from '../../domain/model-stream.ts';
import type {ToolResultBlock} from '../../domain/conversation.ts';
import type {ActionId, BlockId, MessageId, TodoId} from '../../domain/ids.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import type {Proof} from '../../domain/sandbox.ts';
import {emptyTaskView, type TaskView} from '../../tasks/task-view.ts';
import {type MarkdownPiece, type MarkdownPosition, markdownStart} from '../scrollback/split-markdown.ts';

/**
 * Everything the screen shows, folded from agent events. It holds only unfinished entries. `takeFinished` moves finished entries to the
 * scrollback, so that no cost grows with the length of the conversation.
 */
export interface View {
  readonly session: {readonly tag: 'opening'} | {readonly tag: 'open'; readonly info: SessionInfo};
  /** Entries that aren't in the scrollback yet, in order. */
  readonly entries: readonly Entry[];
  readonly run: Run;
  readonly turn: RunningTurn;
  /** The lines that the session's earlier turns added and removed. */
  readonly earlierLines: LineCounts;
  readonly userCommand: MessageId | 'none';
  readonly queued: readonly QueuedPrompt[];
  readonly approvals: readonly Approval[];
  readonly questions: readonly OpenQuestions[];
  /** The agent's requests that the user take over a block's terminal. */
  readonly handOvers: readonly OpenHandOver[];
  /** The compaction that the running prompt waits for. */
  readonly compaction: CompactionOffer | 'none';
  /** The agent's suggestion for the next prompt, until another prompt begins. Empty if there is none. */
  readonly suggestion: string;
  /** The terminal in which the user's running command waits for the user to attach. */
  readonly terminalNeeded: TerminalNeeded;
  /** The session's checks, in order of their first runs. */
  readonly checks: readonly ShownCheck[];
  /** The checks that the last closing line showed, as a key. */
  readonly closedChecks: string;
  readonly tasks: TaskView;
  /** The session's sub-agents, in the order they started. */
  readonly agents: readonly AgentOutput[];
  readonly usage: SessionUsage;
  readonly model: string;
  readonly effort: Effort | 'default';
  readonly mode: PermissionMode;
  readonly sandbox: Proof | 'unknown';
}

type Run =
  | {readonly state: 'idle'}
  | {readonly state: 'working'}
  | {
      readonly state: 'retrying';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly reason: string;
    }
  /** The user interrupted. Running actions are being settled. */
  | {readonly state: 'stopping'};

interface OpenQuestions {
  readonly id: ActionId;
  readonly questions: readonly Question[];
  readonly files: readonly FileDiff[];
}

export interface QueuedPrompt {
  readonly id: MessageId;
  readonly text: string;
  readonly when: 'queued' | 'steering' | 'command';
  /** The draft as typed. Restored with its images if the prompt is withdrawn. */
  readonly typed: string;
  readonly images: readonly ReadImage[];
}

interface OpenHandOver {
  readonly id: ActionId;
  readonly block: BlockId;
  readonly reason: string;
}

type TerminalNeeded = 'none' | {readonly id: ActionId; readonly block: BlockId; readonly command: string};

export type Entry = TextEntry | ThinkingEntry | ActionEntry | ExplorationEntry | ClosedEntry;

/** A message's text. `rest` is the Markdown that remains. `written` tells whether earlier pieces are in the scrollback. */
export interface TextEntry {
  readonly kind: 'text';
  readonly key: string;
  readonly rest: string;
  readonly position: MarkdownPosition;
  readonly written: 'nothing' | 'some';
  /** `broken`: the connection broke during streaming. The text continues from there. */
  readonly state: 'streaming' | 'broken' | 'done';
}

/** Returns an entry for a message's text of which nothing is in the scrollback yet. */
export const textEntry = (key: string, rest: string, state: TextEntry['state']): TextEntry => ({
  kind: 'text',
  key,
  rest,
  position: markdownStart,
  written: 'nothing',
  state,
});

export interface ThinkingEntry {
  readonly kind: 'thinking';
  readonly key: string;
  readonly text: string;
  readonly state: 'streaming' | 'done';
}

export interface ActionEntry {
  readonly kind: 'action';
  readonly id: ActionId;
  /** `user`: a command that the user typed after `!`. */
  readonly by: 'agent' | 'user';
  readonly label: string;
  readonly stage: ActionStage;
}

/** Consecutive reads, searches, and listings, with the thinking between them. It grows until another kind of entry follows. */
export interface ExplorationEntry {
  readonly kind: 'exploration';
  readonly steps: readonly ExplorationStep[];
  /** The workspace. Paths inside it are shown relative to it. */
  readonly directory: string;
}

export type ExplorationStep = ActionEntry | PastActionEntry | ThinkingEntry;

export type ActionStage =
  | {readonly stage: 'queued'; readonly action: Action}
  /** A command waits again after it has ended, for a decision about its changes. `tail` is its output. */
  | {readonly stage: 'waiting'; readonly action: Action; readonly preview: Preview; readonly tail: string}
  | {readonly stage: 'running'; readonly action: Action; readonly preview: Preview; readonly tail: string}
  | {
      readonly stage: 'settled';
      readonly result: SettledCall;
      readonly preview: Preview;
      readonly tail: string;
      readonly durationMs: number;
    };

/** Entries that are complete when they are created. */
type ClosedEntry =
  | {readonly kind: 'prompt'; readonly text: string; readonly attached: readonly string[]}
  | {readonly kind: 'notice'; readonly level: 'info' | 'warning'; readonly text: string}
  /** A slash command as entered, and its answer. */
  | {
      readonly kind: 'command-answer';
      readonly command: string;
      readonly level: 'info' | 'warning';
      readonly text: string;
    }
  | PastActionEntry
  | {readonly kind: 'end'; readonly end: PromptEnd; readonly turn: TurnFacts};

export interface TurnFacts {
  /** The lines added to and removed from each changed file, by its path. */
  readonly files: ReadonlyMap<string, LineCounts>;
  /** How many more files changed whose lines weren't counted. */
  readonly uncounted: number;
  readonly actions: number;
  readonly durationMs: number;
  /** The part of the duration that was spent waiting for the user, in milliseconds. */
  readonly waitedMs: number;
  /** The cost in US dollars. `unknown` if the model has no known price. */
  readonly costUsd: number | 'unknown';
  /** The session's checks. Empty if none ran in the turn and the changes affect none. */
  readonly checks: readonly ShownCheck[];
}

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

export interface RunningTurn extends Pick<TurnFacts, 'files' | 'uncounted' | 'actions'> {
  readonly costBefore: number;
  /** `earlier`: the todo list comes from an earlier turn. */
  readonly todos: 'earlier' | 'current';
}

/** An action of a resumed session. Only its call and result text are known. */
export interface PastActionEntry {
  readonly kind: 'past-action';
  readonly by: 'agent' | 'user';
  /** `unknown` if the call no longer decodes. */
  readonly action: Action | 'unknown';
  readonly label: string;
  readonly outcome: ToolResultBlock['outcome'];
  readonly resultText: string;
}

/** An entry that moves from the view to the scrollback: a whole entry, or finished blocks of a streamed message. */
export type FinishedEntry =
  | {readonly kind: 'pieces'; readonly pieces: readonly MarkdownPiece[]; readonly written: 'nothing' | 'some'}
  | ThinkingEntry
  | ActionEntry
  | ExplorationEntry
  | ClosedEntry;

export const emptyView: View = {
  session: {tag: 'opening'},
  entries: [],
  run: {state: 'idle'},
  turn: {files: new Map(), uncounted: 0, actions: 0, costBefore: 0, todos: 'current'},
  earlierLines: {added: 0, removed: 0},
  userCommand: 'none',
  queued: [],
  approvals: [],
  questions: [],
  handOvers: [],
  compaction: 'none',
  suggestion: '',
  checks: [],
  closedChecks: '',
  terminalNeeded: 'none',
  tasks: emptyTaskView,
  agents: [],
  usage: {models: {}, contextTokens: 0, contextWindow: 0},
  model: '',
  effort: 'default',
  mode: 'default',
  sandbox: 'unknown',
};

export interface RunTimes {
  /** Working time in milliseconds, without the time spent waiting for the user. */
  readonly elapsedMs: number;
  /** Time spent waiting for the user's answers, in milliseconds. */
  readonly waitedMs: number;
  /** Time until a failed request is retried, in milliseconds. */
  readonly retryInMs: number;
  readonly outputTokens: number;
  readonly actions: ReadonlyMap<ActionId, ActionProgress>;
  /** How long each current todo has been in progress, in milliseconds. */
  readonly todos: ReadonlyMap<TodoId, number>;
  /** Dollars per minute of working time. `unknown` until enough time has passed. */
  readonly costPerMinute: number | 'unknown';
}

export interface ActionProgress {
  readonly elapsedMs: number;
  readonly lines: number;
}
