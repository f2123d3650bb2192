import type {Change} from '../domain/change-set.ts';
import type {ModelFallback} from '../domain/model-fallback.ts';
import type {Json} from '../base/json.ts';
import type {CompactionPreview, CompactionReport, CompactionTrigger} from '../domain/compaction.ts';
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
import type {BlockDelta, BlockStart, Effort, ModelEvent, Repaired} from '../domain/model-stream.ts';
import type {Plan} from '../domain/plan.ts';
import type {CheckStatus} from '../domain/receipt.ts';
import type {TaintedData} from '../domain/reason.ts';
import type {RewindReport} from '../domain/rewind.ts';
import type {Obligation} from '../domain/obligation.ts';
import type {Decider, PermissionMode, Verdict} from '../domain/risk.ts';
import type {Proof} from '../domain/sandbox.ts';
import type {ModelUsage, Usage} from '../domain/usage.ts';
import type {AgentRow, Asker} from '../domain/sub-agent.ts';
import type {Action, ActionResult} from './catalogue.ts';
import type {HarnessEvent} from './harness-port.ts';
import type {Question, ImpactReport} from './ports.ts';
import type {FileDiff, Preview} from './preview.ts';

/**
 * The events that the engine publishes to every front end. Everything on screen or on stdout is a fold of them.
 * They carry typed actions and results, so they live here and not in `domain`.
 */
export type AgentEvent =
  /** The first event, sent again after a clear or a resume. `history` and `todoFrames` are the content of a resumed session. */
  | {
      readonly event: 'session-opened';
      readonly session: SessionInfo;
      readonly history: readonly Message[];
      readonly todoFrames: readonly Uint8Array[];
      readonly usage: SessionUsage;
    }
  /** The session has a name that the user gave it: after the opening of a named session, and with each new name. */
  | {readonly event: 'session-renamed'; readonly title: string}
  /**
   * A prompt is in the journal and work on it has begun. The first prompt begins a run. Prompts that arrive before its
   * `prompt-finished` join that run.
   */
  | {
      readonly event: 'prompt-accepted';
      readonly id: MessageId;
      readonly text: string;
      readonly attached: readonly string[];
    }
  /** A command that the user typed begins or ends. The events of an action with the same id come in between. */
  | {readonly event: 'command-started' | 'command-finished'; readonly id: MessageId}
  /** The user's running command waits for input or fills the screen. Its terminal can be attached to until the command settles. */
  | {readonly event: 'terminal-needed'; readonly id: ActionId; readonly block: BlockId}
  /** A queued prompt was withdrawn before work on it began. */
  | {readonly event: 'prompt-withdrawn'; readonly id: MessageId}
  /** A request is sent to the model. `turn` counts from 1 in each prompt. */
  | {readonly event: 'turn-started'; readonly turn: number}
  | Extract<ModelEvent, {readonly event: 'retrying'}>
  | ModelFallback
  | Repaired
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
  /** A call was decoded and waits for its turn. `preview` comes with `approval-requested` or `action-started`. */
  | {readonly event: 'action-queued'; readonly id: ActionId; readonly action: Action; readonly label: string}
  | {readonly event: 'approval-requested'; readonly approval: Approval}
  /**
   * `edited`: the user changed the command. weft judges the new command and, unless it is denied, asks about it under
   * the same id.
   */
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
      /** The changes that the question is about, shown with it. Usually empty. */
      readonly files: readonly FileDiff[];
    }
  | {readonly event: 'question-settled'; readonly id: ActionId}
  /** The agent offers the user the terminal of a block. Settled when the user gives it back or the block ends. */
  | {readonly event: 'hand-over-asked'; readonly id: ActionId; readonly block: BlockId; readonly reason: string}
  | {readonly event: 'hand-over-settled'; readonly id: ActionId}
  | {readonly event: 'action-started'; readonly id: ActionId; readonly action: Action; readonly preview: Preview}
  | {readonly event: 'action-output'; readonly id: ActionId; readonly chunk: string}
  /** Sent exactly once for every tool call. `toolResult` is what the model reads. */
  | {
      readonly event: 'action-settled';
      readonly call: ToolCallBlock;
      readonly result: SettledCall;
      readonly toolResult: ToolResultBlock;
      readonly durationMs: number;
    }
  /** The todo list changed. Every view of the list is decoded from these task-protocol payloads. */
  | {readonly event: 'todos-framed'; readonly frames: readonly Uint8Array[]}
  | {readonly event: 'usage-changed'; readonly usage: SessionUsage}
  | {
      readonly event: 'model-changed';
      readonly model: string;
      readonly provider: string;
      readonly effort: Effort | 'default';
    }
  | {readonly event: 'mode-changed'; readonly mode: PermissionMode}
  /** A check has run, or a change of files has made some checks stale. In order of their first runs. */
  | {readonly event: 'checks-changed'; readonly checks: readonly CheckStatus[]}
  /** A plan was proposed, approved or rejected, or one of its steps made progress. */
  | {readonly event: 'plan-changed'; readonly plan: Plan}
  /** The sandbox has been probed. Confined commands now run in it. */
  | {readonly event: 'sandbox-proven'; readonly proof: Proof}
  /** Files and conversation are as the report says. From now on the todo list is decoded from `todoFrames`. */
  | {readonly event: 'rewound'; readonly report: RewindReport; readonly todoFrames: readonly Uint8Array[]}
  /** The model writes the summary for a compaction. `compaction-ended` follows, whatever the result. */
  /** `estimate`: the expected cost of the summary, as text. Empty if weft asks for no summary. */
  | {readonly event: 'compaction-begun'; readonly trigger: CompactionTrigger; readonly estimate: string}
  | {readonly event: 'compaction-ended'; readonly trigger: CompactionTrigger}
  /** The conversation is too long for the model, and the running prompt waits for the user's answer to the previewed compaction. */
  | ({readonly event: 'compaction-offered'} & CompactionOffer)
  | {readonly event: 'compaction-answered'; readonly id: ActionId}
  | {readonly event: 'compacted'; readonly report: CompactionReport}
  | HookRunEvent
  /**
   * A sub-agent begins. `agent-changed` follows with every change, the last one when its prompt has ended.
   * A message may put the sub-agent back to work.
   */
  | {readonly event: 'agent-started'; readonly row: AgentRow}
  | {readonly event: 'agent-changed'; readonly row: AgentRow}
  /**
   * An event of a sub-agent's own engine or of its harness. `call` is the call that started the sub-agent.
   * Its questions reach the user as questions of the session, with the asker named, and are answered through the session.
   */
  | {
      readonly event: 'agent-event';
      readonly agent: SessionId;
      readonly name: string;
      readonly call: ActionId;
      readonly happened: NestedAgentEvent;
    }
  /** The agent suggests a next prompt. Nothing sends it unless the user does. */
  | {readonly event: 'prompt-suggested'; readonly prompt: string; readonly label: string}
  /** The user has agreed to look at the code review of this range. */
  | {readonly event: 'review-opened'; readonly range: string}
  /** The model goes on after its answer, because of a stop hook or a missing structured answer. It reads this text. */
  | {readonly event: 'sent-on'; readonly text: string}
  /** A message to a person that belongs to no action: one sentence. */
  | {readonly event: 'notice'; readonly level: 'info' | 'warning'; readonly text: string}
  /** Sent exactly once for a prompt and those that joined it, after everything it started has settled and is in the journal. */
  | {readonly event: 'prompt-finished'; readonly summary: PromptSummary};

/** A compaction for the user to decide about. `reason` is a sentence. */
export interface CompactionOffer {
  readonly id: ActionId;
  readonly reason: string;
  readonly preview: CompactionPreview;
}

export type NestedAgentEvent =
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

/** `undecodable`: the name or the input didn't fit the catalog. The model read the fault. */
export type SettledCall =
  | {readonly tag: 'action'; readonly result: ActionResult}
  | {readonly tag: 'undecodable'; readonly fault: Fault};

/** A question to a person: may this action run? The first answer wins. */
export interface Approval {
  readonly id: ActionId;
  readonly asker: Asker;
  readonly toolName: string;
  /** The input of the tool as it will run. */
  readonly input: Json;
  readonly action: Action;
  readonly label: string;
  readonly preview: Preview;
  readonly verdict: Verdict;
  /** The conditions under which the action will run. */
  readonly obligations: readonly Obligation[];
  /** `user`: the user edited the command on the card, and the edited command is the one to approve. */
  readonly wording: 'model' | 'user';
  readonly rationale: string;
  /** The actions that "for this session" would allow, in words. */
  readonly sessionGrant: string;
  readonly impact: ImpactReport;
  readonly citations: readonly string[];
}

export interface SessionUsage {
  readonly models: Readonly<Record<string, ModelUsage>>;
  /** Tokens of the last request and its answer. An estimate after a compaction. */
  readonly contextTokens: number;
  /** Tokens that the model's window holds. 0 if unknown. */
  readonly contextWindow: number;
}

export type PromptEnd =
  | {readonly kind: 'done'}
  | {readonly kind: 'interrupted'}
  | {readonly kind: 'failed'; readonly fault: Fault}
  | {readonly kind: 'max-turns'; readonly turns: number}
  | {readonly kind: 'max-cost'; readonly usd: number}
  /**
   * The model gave no answer that fits the schema, although weft reported the errors to it twice. `errors` are those of
   * the last answer.
   */
  | {readonly kind: 'invalid-output'; readonly errors: readonly string[]}
  /** A hook stopped the prompt before or during its run. `reason` may be empty. */
  | {readonly kind: 'stopped-by-hook'; readonly reason: string}
  /** The prompt is a slash command that produced nothing to send. The model was not asked. */
  | {readonly kind: 'not-sent'; readonly why: 'unknown-command' | 'not-permitted' | 'failed'; readonly fault: Fault};

export interface PromptSummary {
  readonly end: PromptEnd;
  /** The text of the last message. It is the answer if `end` is `done`. */
  readonly answer: string;
  readonly stop: StopReason;
  /** Requests sent to the model. */
  readonly turns: number;
  /** Tool results that the model read. */
  readonly results: number;
  readonly durationMs: number;
  /** Time spent waiting for the model. */
  readonly modelMs: number;
  /** Time spent waiting for the user: approvals, questions and terminal hand-overs. */
  readonly waitedMs: number;
  readonly usage: Usage;
  /** Searches of the web by the provider. */
  readonly webSearches: number;
  readonly sessionUsage: SessionUsage;
  readonly denials: readonly Denial[];
  /** The latest run of each check of the session, in order of the first runs. */
  readonly checks: readonly CheckStatus[];
  /** In an interactive session: the number of files that an undo of the prompt would restore. */
  readonly changedFiles?: number;
  /** The name of the command of weft that ran instead of turns. */
  readonly command?: string;
  /** The answer as JSON, if a schema was given and the answer fits it. `answer` is then its text. */
  readonly structured: StructuredValue;
}

export type StructuredValue = {readonly kind: 'none'} | {readonly kind: 'value'; readonly value: Json};

/** A refused call, or a call whose changes were dropped. `by: 'nobody'`: the run is unattended. */
export interface Denial {
  readonly call: ToolCallBlock;
  readonly by: Decider;
  /** `call`: the call did not run, for these reasons among others. `changes`: the call ran, and `total` of its changes were dropped. A very long list is cut. */
  readonly of:
    | {readonly kind: 'call'; readonly reasons: readonly TaintedData[]}
    | {readonly kind: 'changes'; readonly changes: readonly Change[]; readonly total: number};
}
