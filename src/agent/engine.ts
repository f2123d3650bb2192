import type {AgentEvent} from '../actions/agent-event.ts';
import type {Amendment} from '../actions/files-port.ts';
import type {HandOverEnd, QuestionAnswer} from '../actions/ports.ts';
import type {JsonObject} from '../base/json.ts';
import type {ImageBlock} from '../domain/conversation.ts';
import type {ActionId, MessageId, SessionId} from '../domain/ids.ts';
import type {Thinking} from '../domain/model-stream.ts';
import type {RewindTarget} from '../domain/rewind.ts';
import type {PermissionMode, RuleChange} from '../domain/risk.ts';

/**
 * What every front end sees of weft: operations in, events out. The same engine serves the terminal UI, pipes and the server;
 * front ends hold no state that is not a fold of its events.
 */
export interface Engine {
  /** Never throws and never blocks; what comes of it is told by events. */
  submit(op: Op): void;
  /**
   * Calls `listener` with every batch of events from now on, in order, first with the opening of the session. Events that
   * arrive in one piece from the network come in one batch. A listener must not throw. One that cannot take more for now returns
   * a promise: the model is read no further until it settles.
   */
  subscribe(listener: EventListener): () => void;
  /**
   * Closes the session when all that runs has settled and is kept: `finished` lets it end, `shutdown` stops it and drops the
   * prompts that wait. Operations submitted from now on do nothing.
   */
  close(reason: 'finished' | 'shutdown'): Promise<void>;
}

// oxlint-disable-next-line typescript/no-invalid-void-type -- most listeners return nothing at all
export type EventListener = (events: readonly AgentEvent[]) => void | Promise<void>;

export type Op =
  /**
   * `id` is the front end's; one that the session already holds is replaced by another. While a prompt runs, `queued` waits for
   * its end; `steering` joins it with the next request to the model, and where there is none any more it runs next. It ends as
   * `prompt-accepted` (and with the prompt it joined, or its own, `prompt-finished`), or else as `prompt-withdrawn`.
   */
  | {
      readonly op: 'prompt';
      readonly id: MessageId;
      readonly text: string;
      readonly images: readonly ImageBlock[];
      readonly when: 'queued' | 'steering';
    }
  /**
   * Runs a command of the user's own in the shell: nobody is asked, the agent reads command and output with its next request.
   * It waits for what runs. Ends as `command-started` and `command-finished`, or as `prompt-withdrawn`.
   */
  | {readonly op: 'run-command'; readonly id: MessageId; readonly command: string}
  /** What the agent is to know from the next prompt on. */
  | {readonly op: 'learn'; readonly text: string}
  /** Drops a prompt or a command of the user's that has not been taken up yet. */
  | {readonly op: 'withdraw-prompt'; readonly id: MessageId}
  /** Answers an open approval; an answer that comes after another one is ignored. */
  | {readonly op: 'answer-approval'; readonly id: ActionId; readonly answer: ApprovalAnswer}
  | {readonly op: 'answer-question'; readonly id: ActionId; readonly answer: QuestionResponse}
  | {readonly op: 'answer-hand-over'; readonly id: ActionId; readonly end: Exclude<HandOverEnd, 'nobody'>}
  /** Ends the running prompt and drops the waiting ones: `prompt-withdrawn` for each has been told when this returns. */
  | {readonly op: 'interrupt'}
  /** Asks which prompts there are to go back to. */
  | {readonly op: 'list-rewind-points'}
  /** Asks what going there would do. */
  | {readonly op: 'preview-rewind'; readonly target: RewindTarget}
  /** Goes there. Refused with a notice while a prompt runs or waits. */
  | {readonly op: 'rewind'; readonly target: RewindTarget}
  /**
   * Asks what compacting the conversation would do; `instructions` are what the summary must have in mind, often empty. Costs a
   * request to the model, which an interrupt ends. Told as `compaction-begun` and what follows it. Refused while a prompt runs or waits.
   */
  | {readonly op: 'preview-compact'; readonly instructions: string}
  /** Does what was shown, with the summary as the user left it; empty for as it was shown. */
  | {readonly op: 'compact'; readonly preview: MessageId; readonly summary: string}
  | {readonly op: 'set-model'; readonly model: string}
  | {readonly op: 'set-mode'; readonly mode: PermissionMode}
  /** From the next request on. */
  | {readonly op: 'set-thinking'; readonly thinking: Thinking}
  /** Starts a new session, or goes on with another one; interrupts what runs. */
  | {
      readonly op: 'open-session';
      readonly session: {readonly kind: 'new'} | {readonly kind: 'resume'; readonly id: SessionId};
    };

export type ApprovalAnswer =
  | {readonly decision: 'allow'; readonly scope: 'once' | 'session'}
  /** Also allows what `rule` covers from now on: one of the verdict's rules, or one the user wrote. */
  | {readonly decision: 'allow-rule'; readonly rule: string; readonly lasting: 'session' | 'local' | 'user'}
  /** Asks about `command` in the place of the one that was asked about; only for commands. It is judged anew, and what is denied stays so. */
  | {readonly decision: 'allow-edited'; readonly command: string}
  /** Writes what the user left of the proposal, unless that is denied or has to be asked about for another reason; only for edits. */
  | {readonly decision: 'allow-amended'; readonly amendment: Amendment}
  /** Runs the same tool with `input`, which is judged again: what is denied stays so. Changes the rules. */
  | {
      readonly decision: 'allow-updated';
      readonly input: JsonObject | 'unchanged';
      readonly rules: readonly RuleChange[];
    }
  /** `message` is the reason, for the model; may be empty. From a `program` it is told word for word. */
  | {readonly decision: 'refuse'; readonly message: string; readonly voice: 'user' | 'program'};

export type QuestionResponse =
  | {readonly kind: 'answered'; readonly answers: readonly QuestionAnswer[]}
  | {readonly kind: 'dismissed'};
