import type {AgentEvent, NestedAgentEvent} from '../../actions/agent-event.ts';
import {labelOf} from '../../actions/catalogue.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactLine} from '../../base/visible.ts';
import type {AgentRow} from '../../domain/sub-agent.ts';

/** A sub-agent and the end of its output: its text and what its commands print. */
export interface AgentOutput {
  readonly row: AgentRow;
  readonly tail: string;
}

/** The maximum amount of output kept per sub-agent, in UTF-16 units. A panel can't show more. */
const maxTail = 4000;

type SubAgentEvent = Extract<AgentEvent, {event: 'agent-started' | 'agent-changed' | 'agent-event'}>;

/** Applies an event to the list. Returns the same array if nothing changed. Ignores output of an unknown sub-agent. */
export function updateAgents(agents: readonly AgentOutput[], event: SubAgentEvent): readonly AgentOutput[] {
  if (event.event === 'agent-event') {
    const more = outputText(event.happened);
    if (more === '') return agents;
    return agents.map(each =>
      each.row.agent.id === event.agent ? {...each, tail: (each.tail + more).slice(-maxTail)} : each,
    );
  }
  const {row} = event;
  const isKnown = agents.some(each => each.row.agent.id === row.agent.id);
  return isKnown
    ? agents.map(each => (each.row.agent.id === row.agent.id ? {...each, row} : each))
    : [...agents, {row, tail: ''}];
}

function outputText(happened: NestedAgentEvent): string {
  const {event} = happened;
  switch (event.event) {
    case 'text':
      return event.delta;
    case 'tool-started':
      return `\n> ${event.title === '' ? event.name : event.title}\n`;
    case 'tool-output':
    case 'action-output':
      return event.chunk;
    case 'action-started':
      return `\n> ${labelOf(event.action)}\n`;
    case 'block-delta':
      return event.delta.kind === 'text' ? event.delta.text : '';
    case 'prompt-finished':
    case 'finished':
      return '\n';
    default:
      return '';
  }
}

export function agentStatusText({status}: Pick<AgentRow, 'status'>): string {
  switch (status.kind) {
    case 'started':
      return 'starting';
    case 'in_progress':
      return status.doing === '' ? 'thinking' : visibleExactLine(status.doing);
    case 'blocked':
      return `needs input: ${visibleExactLine(status.on)}`;
    case 'idle':
      return 'idle';
    case 'succeeded':
      return 'done';
    case 'failed':
      return 'failed';
    case 'cancelled':
      return 'stopped';
    default:
      return unreachable(status);
  }
}
