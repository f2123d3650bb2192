import type {JsonObject} from '../../base/json.ts';
import {eventRecord} from './event-record.ts';
import type {ResponseEvent} from './response-event.ts';
import {jsonOf} from './schema-json.ts';
import {messageType} from './task-schema.ts';

/** An event as JSON in the protocol's names, its payloads decoded, with what the typed form does not say. */
export const eventJson = (event: ResponseEvent): JsonObject => jsonOf(messageType('ResponseEvent'), eventRecord(event));
