import type {AgentEvent} from './agent-event.ts';

/** Whether the agent has something to hear of a sub-agent that it does not wait for. Who stops one needs no answer to that. */
export const endsInBackground = (event: AgentEvent): boolean =>
  event.event === 'agent-changed' &&
  event.row.agent.parent === 'main' &&
  event.row.place === 'background' &&
  (event.row.status.kind === 'succeeded' || event.row.status.kind === 'failed');
