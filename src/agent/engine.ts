import type {AgentEvent} from '../actions/agent-event.ts';
import type {HandOverEnd, QuestionAnswer} from '../actions/ports.ts';
import type {ImageBlock} from '../domain/conversation.ts';
import type {ActionId, SessionId} from '../domain/ids.ts';
import type {RewindTarget} from '../domain/rewind.ts';
import type {PermissionMode} from '../domain/risk.ts';

/**
 * What every front end sees of weft: operations in, events out. The same engine serves the terminal UI, pipes and the server;
 * front ends hold no state that is not a fold of its events.
 */
export interface Engine {
  /** Never throws and never blocks; what comes of it is told by events. Prompts given while one runs wait their turn. */
  submit(op: Op): void;
  /**
   * Calls `listener` with every batch of events from now on, in order, first with the opening of the session. Events that
   * arrive in one piece from the network come in one batch. A listener must not throw.
   */
  subscribe(listener: (events: readonly AgentEvent[]) => void): () => void;
  /**
   * Closes the session when all that runs has settled and is kept: `finished` lets it end, `shutdown` stops it and drops the
   * prompts that wait. Operations submitted from now on do nothing.
   */
  close(reason: 'finished' | 'shutdown'): Promise<void>;
}

export type Op =
  | {readonly op: 'prompt'; readonly text: string; readonly images: readonly ImageBlock[]}
  /** Answers an open approval; an answer that comes after another one is ignored. */
  | {readonly op: 'answer-approval'; readonly id: ActionId; readonly answer: ApprovalAnswer}
  | {readonly op: 'answer-question'; readonly id: ActionId; readonly answer: QuestionResponse}
  | {readonly op: 'answer-hand-over'; readonly id: ActionId; readonly end: Exclude<HandOverEnd, 'nobody'>}
  /** Ends the running prompt and drops the waiting ones. Without a running prompt it does nothing. */
  | {readonly op: 'interrupt'}
  /** Asks which prompts there are to go back to. */
  | {readonly op: 'list-rewind-points'}
  /** Asks what going there would do. */
  | {readonly op: 'preview-rewind'; readonly target: RewindTarget}
  /** Goes there. Refused with a notice while a prompt runs or waits. */
  | {readonly op: 'rewind'; readonly target: RewindTarget}
  | {readonly op: 'set-model'; readonly model: string}
  | {readonly op: 'set-mode'; readonly mode: PermissionMode}
  /** Starts a new session, or goes on with another one; interrupts what runs. */
  | {
      readonly op: 'open-session';
      readonly session: {readonly kind: 'new'} | {readonly kind: 'resume'; readonly id: SessionId};
    };

export type ApprovalAnswer =
  | {readonly decision: 'allow'; readonly scope: 'once' | 'session'}
  /** Also allows what `rule` covers from now on: one of the verdict's rules, or one the user wrote. */
  | {readonly decision: 'allow-rule'; readonly rule: string; readonly lasting: 'session' | 'always'}
  /** Runs `command` in the place of the one that was asked about; only for commands. */
  | {readonly decision: 'allow-edited'; readonly command: string}
  /** `message` is the user's reason, for the model; may be empty. */
  | {readonly decision: 'refuse'; readonly message: string};

export type QuestionResponse =
  | {readonly kind: 'answered'; readonly answers: readonly QuestionAnswer[]}
  | {readonly kind: 'dismissed'};
