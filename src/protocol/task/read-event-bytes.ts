import {Reader} from 'protobufjs';
import {isJsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {eventOf} from './event-view.ts';
import type {ResponseEvent} from './response-event.ts';
import {messageType} from './task-schema.ts';

/** What is wrong with the bytes of an event, and after how many of them. */
export interface BytesTrouble {
  readonly position: number;
  readonly message: string;
}

/** Reads the bytes of one ResponseEvent. Unknown fields are kept. Nothing throws. */
export function readEventBytes(bytes: Uint8Array): Outcome<ResponseEvent, BytesTrouble> {
  if (bytes.length > mostBytes) return failed({position: mostBytes, message: `more than ${mostBytes} bytes`});
  const reader = Reader.create(bytes);
  reader.discardUnknown = false;
  try {
    const message = messageType('ResponseEvent').decode(reader);
    return ok(eventOf(isJsonObject(message) ? message : {}, {source: 'bytes', message}));
  } catch (cause) {
    return failed({position: Math.min(reader.pos, bytes.length), message: troubleText(cause)});
  }
}

/** Far more than any event has, and little enough that one made of the smallest messages fits into memory. */
const mostBytes = 16 * 1024 * 1024;

const troubleText = (cause: unknown): string =>
  cause instanceof RangeError ? 'a field that is cut short' : causeText(cause);
