import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {actionNames} from './action-view.ts';
import {eventNames, eventOf} from './event-view.ts';
import {chosen, FieldTrouble, valueOf} from './record-fields.ts';
import type {ResponseEvent} from './response-event.ts';

/**
 * Reads events from JSON: one ResponseEvent, a list of them, one wrapped in `parsed_data`, or a client action by itself. Names may
 * be in snake_case or camelCase. An object of none of these names is an event of a kind that is not known, and is kept.
 */
export function readEventJson(value: Json): Outcome<readonly ResponseEvent[], string> {
  const events: ResponseEvent[] = [];
  try {
    for (const one of isJsonList(value) ? value : [value]) {
      if (!isJsonObject(one)) return failed('an event must be an object');
      const event = unwrapped(one);
      events.push(eventOf(event, {source: 'json', value: event}));
    }
    return ok(events);
  } catch (cause) {
    if (cause instanceof FieldTrouble) return failed(cause.message);
    throw cause;
  }
}

/** Wrappers hold wrappers; how many is bounded, since nobody means more. */
function unwrapped(given: JsonObject): JsonObject {
  let event = given;
  for (let depth = 0; depth < 4 && chosen(event, eventNames) === undefined; depth += 1) {
    const inner = valueOf(event, 'parsed_data');
    if (inner === undefined) break;
    if (!isJsonObject(inner)) throw new FieldTrouble('"parsed_data" must be an object');
    event = inner;
  }
  if (chosen(event, eventNames) !== undefined) return event;
  if (chosen(event, actionNames) !== undefined) return {client_actions: {actions: [event]}};
  return Array.isArray(event['actions']) ? {client_actions: event} : event;
}
