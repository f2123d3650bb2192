import {fallbackText} from '../domain/model-fallback.ts';
import type {AgentEvent} from './agent-event.ts';

/** Returns the warning that an event carries for people, or `undefined`. */
export function eventWarning(event: AgentEvent): string | undefined {
  if (event.event === 'notice') return event.level === 'warning' ? event.text : undefined;
  if (event.event === 'fell-back') return fallbackText(event);
  if (event.event === 'repaired') return event.text;
  if (event.event === 'retrying') return retryWarning(event);
  if (event.event !== 'agent-event') return undefined;
  const {event: happened} = event.happened;
  if (happened.event !== 'fell-back' && happened.event !== 'repaired' && happened.event !== 'retrying')
    return undefined;
  const warning = eventWarning(happened);
  return warning === undefined ? undefined : `${event.name}: ${warning}`;
}

/** The shortest wait before a retry, in milliseconds, that weft tells people of. Such waits can add up to minutes. */
const longWaitMs = 2000;

type Retrying = Extract<AgentEvent, {readonly event: 'retrying'}>;

const retryWarning = ({delayMs, attempt, maxAttempts, message}: Retrying): string | undefined =>
  delayMs < longWaitMs
    ? undefined
    : `retrying in ${Math.round(delayMs / 1000)} s (${attempt} of ${maxAttempts}): ${message}`;
