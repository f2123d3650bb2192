import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {AgentRow, Isolation, SubAgent} from '../domain/sub-agent.ts';

/**
 * The sub-agents of an agent, as its calls start and address them. What one does ends with the call that waits for it: an abort settles
 * when the sub-agent has stopped.
 */
export interface AgentsPort {
  /** Starts one, and waits for its answer unless it goes on in the background. A fault says why there is none. */
  start(request: AgentRequest, wait: AgentWait): Promise<Outcome<AgentReport, Fault>>;
  /** Gives a message to one that is at work, or sets one to work again that has ended, and then waits as `start` does. */
  send(request: AgentMessage, wait: AgentWait): Promise<Outcome<AgentReport, Fault>>;
}

export interface AgentRequest extends Pick<SubAgent, 'name' | 'prompt' | 'kind' | 'harness'> {
  /** Empty for that of its kind, or else of the agent that starts it. */
  readonly model: string;
  readonly place: AgentRow['place'];
  /** `none` leaves it to the kind. */
  readonly isolation: Isolation;
}

export interface AgentMessage {
  /** The id of a sub-agent, or its name where only one has it. */
  readonly to: string;
  readonly message: string;
}

export interface AgentWait {
  readonly signal: AbortSignal;
  /** Fires when the user moves the sub-agent to the background. */
  readonly background: AbortSignal;
}

/** A sub-agent when the call that started or addressed it settles: it has ended, or it goes on in the background. */
export interface AgentReport {
  readonly row: AgentRow;
  /** `joined`: it reads the message with what it does. */
  readonly message: 'began' | 'joined';
  /** What was asked for and is not so: sentences. */
  readonly notes: readonly string[];
  /** What became of its worktree, and the changes in it: lines; empty where it had none. */
  readonly worktree: string;
}
