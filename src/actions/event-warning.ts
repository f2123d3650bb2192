import {fallbackText} from '../domain/model-fallback.ts';
import type {AgentEvent} from './agent-event.ts';

/** Returns the warning that an event carries for people, or `undefined`. */
export function eventWarning(event: AgentEvent): string | undefined {
  if (event.event === 'notice') return event.level === 'warning' ? event.text : undefined;
  if (event.event === 'fell-back') return fallbackText(event);
  if (event.event === 'repaired') return event.text;
  if (event.event !== 'agent-event') return undefined;
  const {event: happened} = event.happened;
  if (happened.event !== 'fell-back' && happened.event !== 'repaired') return undefined;
  return `${event.name}: ${eventWarning(happened)}`;
}
