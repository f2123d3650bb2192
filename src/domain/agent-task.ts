import type {AgentTaskId, PlanId, SessionId} from './ids.ts';

export const agentTaskStates = ['queued', 'running', 'completed', 'failed', 'stopped'] as const;

/** A file that a task has changed. */
export interface TaskFile {
  readonly path: string;
  readonly action: 'created' | 'modified' | 'deleted' | 'renamed';
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The call that did it. */
  readonly toolUseId: string;
}

/** The execution of a plan that a program asked for over HTTP. */
export interface AgentTask {
  readonly id: AgentTaskId;
  readonly session: SessionId;
  readonly plan: PlanId;
  readonly prompt: string;
  readonly directory: string;
  /** `queued`: it waits for a worker. */
  readonly state: (typeof agentTaskStates)[number];
  /** Milliseconds since the epoch; `endedAt` is 0 while it runs, and where it was cut off. */
  readonly createdAt: number;
  readonly endedAt: number;
  /** US dollars, as far as prices are known. */
  readonly cost: number;
  readonly files: readonly TaskFile[];
}
