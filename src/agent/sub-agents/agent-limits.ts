/** How far sub-agents may go. Times in milliseconds. */
export interface AgentLimits {
  /** Sub-agents below sub-agents. */
  readonly depth: number;
  readonly atOnce: number;
  /** Requests to a model of all sub-agents of a session together; of a harness as far as they can be told from what it says. */
  readonly turns: number;
  /** How often the same call may fail in the same way, one time after the other. */
  readonly sameFailures: number;
  /** Silence after which one counts as idle, and after which it is stopped. */
  readonly idleMs: number;
  readonly silentMs: number;
}

export const usualLimits: AgentLimits = {
  depth: 2,
  atOnce: 8,
  turns: 1000,
  sameFailures: 3,
  idleMs: 60_000,
  silentMs: 15 * 60_000,
};
