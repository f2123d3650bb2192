import type {Change} from '../domain/change-set.ts';
import type {FellBack} from '../domain/model-fallback.ts';
import type {Json} from '../base/json.ts';
import type {CompactionReport} from '../domain/compaction.ts';
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  StopReason,
  ToolCallBlock,
  ToolResultBlock,
} from '../domain/conversation.ts';
import type {Fault} from '../domain/fault.ts';
import type {HookRunEvent} from '../domain/hook.ts';
import type {ActionId, BlockId, MessageId, SessionId} from '../domain/ids.ts';
import type {BlockDelta, BlockStart, ModelEvent} from '../domain/model-stream.ts';
import type {Plan} from '../domain/plan.ts';
import type {RewindReport} from '../domain/rewind.ts';
import type {Obligation} from '../domain/obligation.ts';
import type {PermissionMode, Verdict} from '../domain/risk.ts';
import type {Proof} from '../domain/sandbox.ts';
import type {ModelUsage, Usage} from '../domain/usage.ts';
import type {AgentRow, Asker} from '../domain/sub-agent.ts';
import type {Action, ActionResult} from './catalogue.ts';
import type {HarnessEvent} from './harness-port.ts';
import type {Question, ImpactReport} from './ports.ts';
import type {FileDiff, Preview} from './preview.ts';

/**
 * What the engine tells every front end; all state on screen or on stdout is a fold of these. They carry typed actions and
 * results, which is why they stand here and not in `domain`.
 */
export type AgentEvent =
  /** The first event; again after clear and resume. `history` and `todoFrames` are what a resumed session already holds. */
  | {
      readonly event: 'session-opened';
      readonly session: SessionInfo;
      readonly history: readonly Message[];
      readonly todoFrames: readonly Uint8Array[];
      readonly usage: SessionUsage;
    }
  /** A prompt is in the journal and is being worked on. The first one begins a run; later ones, before its `prompt-finished`, join that run. */
  | {
      readonly event: 'prompt-accepted';
      readonly id: MessageId;
      readonly text: string;
      readonly attached: readonly string[];
    }
  /** A command that the user typed begins and ends. Between the two come the events of an action with the same id. */
  | {readonly event: 'command-started' | 'command-finished'; readonly id: MessageId}
  /** The running command of the user's waits for a person, or fills the screen: its terminal is there to attach to until it settles. */
  | {readonly event: 'terminal-needed'; readonly id: ActionId; readonly block: BlockId}
  /** A queued prompt was withdrawn before any work on it began. */
  | {readonly event: 'prompt-withdrawn'; readonly id: MessageId}
  /** A request is sent to the model; `turn` counts from 1 in each prompt. */
  | {readonly event: 'turn-started'; readonly turn: number}
  | Extract<ModelEvent, {readonly event: 'retrying'}>
  | FellBack
  | {readonly event: 'message-started'; readonly message: MessageId; readonly model: string; readonly usage: Usage}
  | {readonly event: 'block-started'; readonly message: MessageId; readonly index: number; readonly block: BlockStart}
  | {readonly event: 'block-delta'; readonly message: MessageId; readonly index: number; readonly delta: BlockDelta}
  | {
      readonly event: 'block-finished';
      readonly message: MessageId;
      readonly index: number;
      readonly block: AssistantBlock;
    }
  | {readonly event: 'message-finished'; readonly message: AssistantMessage}
  /** A call was decoded and waits its turn. `preview` comes with `approval-requested` or `action-started`. */
  | {readonly event: 'action-queued'; readonly id: ActionId; readonly action: Action; readonly label: string}
  | {readonly event: 'approval-requested'; readonly approval: Approval}
  /** `edited`: the user changed the command; the changed one is judged, and unless it is denied it is asked about under the same id. */
  | {
      readonly event: 'approval-settled';
      readonly id: ActionId;
      readonly decision: 'allowed' | 'refused' | 'edited';
    }
  | {
      readonly event: 'question-asked';
      readonly id: ActionId;
      readonly asker: Asker;
      readonly questions: readonly Question[];
      /** The changes that are asked about, which the user sees with it; mostly none. */
      readonly files: readonly FileDiff[];
    }
  | {readonly event: 'question-settled'; readonly id: ActionId}
  /** The agent gives the user the terminal of a block; settled when it comes back, or when the block ends. */
  | {readonly event: 'hand-over-asked'; readonly id: ActionId; readonly block: BlockId; readonly reason: string}
  | {readonly event: 'hand-over-settled'; readonly id: ActionId}
  | {readonly event: 'action-started'; readonly id: ActionId; readonly action: Action; readonly preview: Preview}
  | {readonly event: 'action-output'; readonly id: ActionId; readonly chunk: string}
  /** Exactly one for every tool call. `toolResult` is what the model reads. */
  | {
      readonly event: 'action-settled';
      readonly call: ToolCallBlock;
      readonly result: SettledCall;
      readonly toolResult: ToolResultBlock;
      readonly durationMs: number;
    }
  /** The list changed; every view of it is decoded from these task-protocol payloads. */
  | {readonly event: 'todos-framed'; readonly frames: readonly Uint8Array[]}
  | {readonly event: 'usage-changed'; readonly usage: SessionUsage}
  | {readonly event: 'model-changed'; readonly model: string; readonly provider: string}
  | {readonly event: 'mode-changed'; readonly mode: PermissionMode}
  /** A plan was proposed, decided about or carried out a step further. */
  | {readonly event: 'plan-changed'; readonly plan: Plan}
  /** What the sandbox was seen to stop is known now: commands that are confined run there. */
  | {readonly event: 'sandbox-proven'; readonly proof: Proof}
  /** Files and conversation are as the report says. `todoFrames` are what the list is decoded from, from now on. */
  | {readonly event: 'rewound'; readonly report: RewindReport; readonly todoFrames: readonly Uint8Array[]}
  /** The model writes the summary for a compaction that somebody asked about; `compaction-ended` follows, whatever came of it. */
  | {readonly event: 'compaction-begun'}
  | {readonly event: 'compaction-ended'}
  | {readonly event: 'compacted'; readonly report: CompactionReport}
  | HookRunEvent
  /** A sub-agent begins; `agent-changed` follows with every change, the last one when its prompt has ended. A message may set it to work again. */
  | {readonly event: 'agent-started'; readonly row: AgentRow}
  | {readonly event: 'agent-changed'; readonly row: AgentRow}
  /**
   * What the own engine of a sub-agent publishes, or what its harness does. `call` is the call that started it. Its questions to the
   * user come as those of the session, with who asks; answers go to the session, too.
   */
  | {
      readonly event: 'agent-event';
      readonly agent: SessionId;
      readonly name: string;
      readonly call: ActionId;
      readonly happened: AgentHappening;
    }
  /** The agent suggests a next prompt. It is the user's to take: nothing sends it. */
  | {readonly event: 'prompt-suggested'; readonly prompt: string; readonly label: string}
  /** The user has agreed to look at the code review of this range. */
  | {readonly event: 'review-opened'; readonly range: string}
  /** Something a person should know that belongs to no action: one sentence. */
  | {readonly event: 'notice'; readonly level: 'info' | 'warning'; readonly text: string}
  /** Exactly one for every prompt and those that joined it, after everything it started has settled and is in the journal. */
  | {readonly event: 'prompt-finished'; readonly summary: PromptSummary};

export type AgentHappening =
  | {readonly by: 'weft'; readonly event: AgentEvent}
  | {readonly by: 'harness'; readonly event: HarnessEvent};

export interface SessionInfo {
  readonly id: SessionId;
  readonly origin: 'new' | 'resumed';
  readonly directory: string;
  readonly provider: string;
  readonly model: string;
  readonly mode: PermissionMode;
  readonly tools: readonly string[];
}

/** `undecodable`: the name or the input did not fit the catalogue; the fault is what the model was told. */
export type SettledCall =
  | {readonly tag: 'action'; readonly result: ActionResult}
  | {readonly tag: 'undecodable'; readonly fault: Fault};

/** The question to a person whether an action may run. The first answer wins. */
export interface Approval {
  readonly id: ActionId;
  readonly asker: Asker;
  readonly toolName: string;
  /** What the tool was given, as it is to run. */
  readonly input: Json;
  readonly action: Action;
  readonly label: string;
  readonly preview: Preview;
  readonly verdict: Verdict;
  /** The conditions on which it would run. */
  readonly obligations: readonly Obligation[];
  /** `user`: the user edited the command on the card, and is asked about the edited one. */
  readonly wording: 'model' | 'user';
  readonly rationale: string;
  /** What "for this session" would let through, in words. */
  readonly sessionGrant: string;
  readonly impact: ImpactReport;
  readonly citations: readonly string[];
}

export interface SessionUsage {
  readonly models: Readonly<Record<string, ModelUsage>>;
  /** Tokens of the last request and its answer, after a compaction an estimate; and the model's window, 0 when unknown. */
  readonly contextTokens: number;
  readonly contextWindow: number;
}

export type PromptEnd =
  | {readonly kind: 'done'}
  | {readonly kind: 'interrupted'}
  | {readonly kind: 'failed'; readonly fault: Fault}
  | {readonly kind: 'max-turns'; readonly turns: number}
  | {readonly kind: 'max-cost'; readonly usd: number}
  /** The model gave no answer that fits the schema, though told twice what was wrong; `errors` are of the last one. */
  | {readonly kind: 'invalid-output'; readonly errors: readonly string[]}
  /** A hook did not let the prompt begin or go on; `reason` may be empty. */
  | {readonly kind: 'stopped-by-hook'; readonly reason: string}
  /** The prompt is a slash command that came to nothing to send: the model has not been asked. */
  | {readonly kind: 'not-sent'; readonly why: 'unknown-command' | 'not-permitted' | 'failed'; readonly fault: Fault};

export interface PromptSummary {
  readonly end: PromptEnd;
  /** The text of the last message; the answer when `end` is done. */
  readonly answer: string;
  readonly stop: StopReason;
  /** Requests sent to the model, and tool results that it read. */
  readonly turns: number;
  readonly results: number;
  readonly durationMs: number;
  /** Time spent waiting for the model. */
  readonly modelMs: number;
  /** Time spent waiting for the user: approvals, questions, hand-overs of a terminal. */
  readonly waitedMs: number;
  readonly usage: Usage;
  readonly sessionUsage: SessionUsage;
  readonly denials: readonly Denial[];
  /** The answer as JSON, where a schema was asked for and it fits; `answer` is then its text. */
  readonly structured: StructuredValue;
}

export type StructuredValue = {readonly kind: 'none'} | {readonly kind: 'value'; readonly value: Json};

/** A call that was refused, or changes of one that were dropped. `by: 'nobody'`: nobody could be asked. */
export interface Denial {
  readonly call: ToolCallBlock;
  readonly by: 'user' | 'rule' | 'hook' | 'nobody';
  /** `call`: it did not run. `changes`: it ran, and changes were dropped: `total` of them, of which very many are not listed. */
  readonly of:
    | {readonly kind: 'call'}
    | {readonly kind: 'changes'; readonly changes: readonly Change[]; readonly total: number};
}
