/** Limits for sub-agents. Times are in milliseconds. */
export interface AgentLimits {
  /** The maximum number of levels of nested sub-agents. */
  readonly depth: number;
  readonly maxConcurrent: number;
  /** Requests to models by all sub-agents of a session. A harness's requests are derived from its output. */
  readonly turns: number;
  /** Silence after which a sub-agent counts as idle. */
  readonly idleMs: number;
  /** Silence after which a sub-agent is stopped. */
  readonly silentMs: number;
}

export const defaultAgentLimits: AgentLimits = {
  depth: 2,
  maxConcurrent: 8,
  turns: 1000,
  idleMs: 60_000,
  silentMs: 15 * 60_000,
};
