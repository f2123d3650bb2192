import type {AgentEvent, SettledCall} from '../actions/agent-event.ts';
import type {ToolSources} from '../actions/decode-action.ts';
import type {ActionPorts, VictimsPort} from '../actions/ports.ts';
import type {ActionId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';
import type {PermissionMode} from '../domain/risk.ts';
import type {Cancellation} from '../domain/settled.ts';
import type {RunCheckpoints} from './checkpoint-keeper.ts';
import type {ApprovalAnswer} from './engine.ts';
import type {PendingAnswers} from './pending-answers.ts';
import type {ClockPort, JudgePort} from './ports.ts';
import type {PromptHooks} from './prompt-hooks.ts';

/** What the calls of one prompt share. */
export interface CallContext {
  /** What tools there are now. */
  readonly toolSources: () => ToolSources;
  readonly judge: JudgePort;
  readonly hooks: PromptHooks;
  readonly victims: VictimsPort;
  readonly checkpoints: RunCheckpoints;
  readonly clock: ClockPort;
  /** The effects, for one action: its questions carry its id. */
  readonly portsFor: (id: ActionId) => ActionPorts;
  readonly approvals: PendingAnswers<ApprovalAnswer | 'aborted'>;
  /** Whether a front end can answer approvals. */
  readonly asking: 'somebody' | 'nobody';
  readonly mode: () => PermissionMode;
  /** Keys of what the user allowed for this session. */
  readonly grants: Set<string>;
  readonly keep: (record: JournalRecord) => void;
  readonly publish: (events: readonly AgentEvent[]) => void;
  /** What the model is to be reminded of behind this result; mostly empty. */
  readonly reminderAfter: (settled: SettledCall) => Promise<string>;
  /** Why the prompt is being stopped, once its signal has fired. */
  readonly whyStopped: () => Cancellation;
}
