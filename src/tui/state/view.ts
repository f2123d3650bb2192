import type {Approval, PromptEnd, SessionInfo, SessionUsage, SettledCall} from '../../actions/agent-event.ts';
import type {ReadImage} from '../../actions/image-port.ts';
import type {Action} from '../../actions/catalogue.ts';
import type {Question} from '../../actions/ports.ts';
import type {Preview} from '../../actions/preview.ts';
import type {ToolResultBlock} from '../../domain/conversation.ts';
import type {ActionId, BlockId, MessageId} from '../../domain/ids.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import {emptyTaskView, type TaskView} from '../../tasks/task-view.ts';
import {markdownStart, type MarkdownPiece, type MarkdownPlace} from '../markdown/split-blocks.ts';

/**
 * Everything the screen shows, as a fold of agent events. It holds only what is still open: what is finished leaves it
 * through `drain` and lives in the terminal's scrollback, so that no cost grows with the conversation.
 */
export interface View {
  readonly session: {readonly tag: 'opening'} | {readonly tag: 'open'; readonly info: SessionInfo};
  /** What is not yet written to the scrollback, in order. */
  readonly entries: readonly Entry[];
  readonly run: Run;
  /** Prompts handed to the engine that it has not taken up yet. */
  readonly queued: readonly QueuedPrompt[];
  readonly approvals: readonly Approval[];
  readonly questions: readonly OpenQuestions[];
  /** Terminals of blocks that the agent wants the user to take. */
  readonly handOvers: readonly OpenHandOver[];
  readonly tasks: TaskView;
  readonly usage: SessionUsage;
  readonly model: string;
  readonly mode: PermissionMode;
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
  /** The user asked for a stop; what runs is being settled. */
  | {readonly state: 'stopping'};

interface OpenQuestions {
  readonly id: ActionId;
  readonly questions: readonly Question[];
}

/** A prompt, or a command of the user's own, that the engine has not taken up yet. */
export interface QueuedPrompt {
  readonly id: MessageId;
  readonly text: string;
  readonly when: 'queued' | 'steering' | 'command';
  /** What the user wrote, and what went with it: for giving it back. */
  readonly typed: string;
  readonly images: readonly ReadImage[];
}

interface OpenHandOver {
  readonly id: ActionId;
  readonly block: BlockId;
  readonly reason: string;
}

export type Entry = TextEntry | ThinkingEntry | ActionEntry | ClosedEntry;

/** `rest` is the markdown not yet cut off; `written` says whether earlier pieces are in the scrollback already. */
export interface TextEntry {
  readonly kind: 'text';
  readonly key: string;
  readonly rest: string;
  readonly place: MarkdownPlace;
  readonly written: 'nothing' | 'some';
  readonly state: 'streaming' | 'done';
}

/** A message's text with nothing of it written yet. */
export const textEntry = (key: string, rest: string, state: TextEntry['state']): TextEntry => ({
  kind: 'text',
  key,
  rest,
  place: markdownStart,
  written: 'nothing',
  state,
});

interface ThinkingEntry {
  readonly kind: 'thinking';
  readonly key: string;
  readonly text: string;
  readonly state: 'streaming' | 'done';
}

export interface ActionEntry {
  readonly kind: 'action';
  readonly id: ActionId;
  readonly label: string;
  readonly stage: ActionStage;
}

export type ActionStage =
  | {readonly stage: 'queued'; readonly action: Action}
  | {readonly stage: 'waiting'; readonly action: Action; readonly preview: Preview}
  | {readonly stage: 'running'; readonly action: Action; readonly preview: Preview; readonly tail: string}
  | {
      readonly stage: 'settled';
      readonly result: SettledCall;
      readonly preview: Preview;
      readonly tail: string;
      readonly durationMs: number;
    };

/** Entries that are finished from the start. */
type ClosedEntry =
  | {readonly kind: 'prompt'; readonly text: string}
  | {readonly kind: 'notice'; readonly level: 'info' | 'warning'; readonly text: string}
  | PastActionEntry
  | {readonly kind: 'end'; readonly end: PromptEnd};

/** An action of a resumed session: all that is kept of it is what the model asked for and was told. */
export interface PastActionEntry {
  readonly kind: 'past-action';
  readonly label: string;
  readonly outcome: ToolResultBlock['outcome'];
  /** What the model was told, and which part of it says most: `none` where the label has said it. */
  readonly told: string;
  readonly part: 'first-line' | 'last-lines' | 'line-count' | 'none';
}

/** What leaves the view for the scrollback: whole entries, and finished pieces of a message still being written. */
export type Finished =
  | {readonly kind: 'pieces'; readonly pieces: readonly MarkdownPiece[]; readonly written: 'nothing' | 'some'}
  | ThinkingEntry
  | ActionEntry
  | ClosedEntry;

export const emptyView: View = {
  session: {tag: 'opening'},
  entries: [],
  run: {state: 'idle'},
  queued: [],
  approvals: [],
  questions: [],
  handOvers: [],
  tasks: emptyTaskView,
  usage: {models: {}, contextTokens: 0, contextWindow: 0},
  model: '',
  mode: 'default',
};
