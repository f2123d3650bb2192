import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {AgentRow, Isolation, SubAgent} from '../domain/sub-agent.ts';

/**
 * The sub-agents of an agent, as its calls start and address them. A sub-agent that a call waits for ends with that call.
 * After an abort, the call settles when the sub-agent has stopped.
 */
export interface AgentsPort {
  /** Starts a sub-agent and, unless it runs in the background, waits for its answer. A fault says why there is no answer. */
  start(request: AgentRequest, wait: AgentWait): Promise<Outcome<AgentReport, Fault>>;
  /** Sends a message to a running sub-agent, or puts one that has ended back to work. Then waits as `start` does. */
  send(request: AgentMessage, wait: AgentWait): Promise<Outcome<AgentReport, Fault>>;
}

export interface AgentRequest extends Pick<
  SubAgent,
  'name' | 'prompt' | 'kind' | 'harness' | 'computerUse' | 'lifecycle'
> {
  /** The title of the sub-agent's session. Empty for its name. */
  readonly title: string;
  /** `host`: the harness must be weft on another machine, and on this host unless `host` is empty. */
  readonly machine: 'any' | {readonly host: string};
  /** The model. Empty for the model of the sub-agent's kind or, if the kind names none, of the agent that starts the sub-agent. */
  readonly model: string;
  readonly place: AgentRow['place'];
  /** `none` leaves the choice to the kind. */
  readonly isolation: Isolation;
}

export interface AgentMessage {
  /** The id of a sub-agent, or its name if no other has the same. */
  readonly to: string;
  readonly message: string;
}

export interface AgentWait {
  readonly signal: AbortSignal;
  /** Fires when the user moves the sub-agent to the background. */
  readonly background: AbortSignal;
}

/** A sub-agent at the time the call that started or addressed it settles: ended, or running in the background. */
export interface AgentReport {
  readonly row: AgentRow;
  /** `joined`: the sub-agent was at work and reads the message with its next step. */
  readonly message: 'began' | 'joined';
  /** Sentences about parts of the request that weft could not fulfill. */
  readonly notes: readonly string[];
  /** The state of its worktree and the changes in it, as lines. Empty if it had none. */
  readonly worktree: string;
}
