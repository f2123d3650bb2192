import type {AgentEvent} from './agent-event.ts';

/**
 * True if a background sub-agent of the main agent succeeded or failed, so the agent needs a report. A sub-agent that
 * the user stopped needs no report.
 */
export const isBackgroundAgentEnd = (event: AgentEvent): boolean =>
  event.event === 'agent-changed' &&
  event.row.agent.parent === 'main' &&
  event.row.place === 'background' &&
  (event.row.status.kind === 'succeeded' || event.row.status.kind === 'failed');
