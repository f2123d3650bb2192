import {fallbackText} from '../domain/model-fallback.ts';
import type {AgentEvent} from './agent-event.ts';

/** Returns the warning that an event carries for people, or `undefined`. */
export function eventWarning(event: AgentEvent): string | undefined {
  if (event.event === 'notice') return event.level === 'warning' ? event.text : undefined;
  if (event.event === 'fell-back') return fallbackText(event);
  return event.event === 'agent-event' && event.happened.event.event === 'fell-back'
    ? `${event.name}: ${fallbackText(event.happened.event)}`
    : undefined;
}
