import type {Readable} from 'node:stream';
import {crc32} from 'node:zlib';
import {isJsonObject, type JsonObject, parseJson, textOf} from '../base/json.ts';
import {DamagedStreamError, EndlessStreamError, maxEventLength, maxStreamLength} from './http-fetch.ts';

/**
 * Yields the events of Anthropic's API that Bedrock's older API sends in frames of AWS, as JSON. Events that arrive
 * together are one batch. An exception of AWS becomes an event of the type `error`. Rejects with `DamagedStreamError`
 * if a frame is damaged or incomplete.
 * (smithy.io/2.0/aws/amazon-eventstream.html)
 */
export async function* readAwsEvents(body: Readable): AsyncGenerator<readonly string[], void, void> {
  const frames = new AwsFrames();
  let total = 0;
  const packets: AsyncIterable<Buffer> = body.iterator({destroyOnReturn: false});
  for await (const packet of packets) {
    total += packet.length;
    if (total > maxStreamLength) throw new EndlessStreamError();
    yield frames.take(packet);
  }
  frames.end();
}

/** Cuts bytes into frames, however the bytes are divided. */
export class AwsFrames {
  readonly #parts: Buffer[] = [];
  #length = 0;
  /** The bytes that the next frame, or its beginning, needs. */
  #needed = preludeLength;

  /** Returns the events of the frames that these bytes complete. */
  take(bytes: Buffer): readonly string[] {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length < this.#needed) return [];
    let rest = Buffer.concat(this.#parts);
    const events: string[] = [];
    for (;;) {
      this.#needed = rest.length < preludeLength ? preludeLength : frameLength(rest);
      if (rest.length < this.#needed) break;
      events.push(...eventsOf(rest.subarray(0, this.#needed)));
      rest = rest.subarray(this.#needed);
    }
    this.#parts.splice(0, Infinity, rest);
    this.#length = rest.length;
    return events;
  }

  end(): void {
    if (this.#length > 0) throw new DamagedStreamError('The answer broke off in the middle of an event.');
  }
}

// A frame holds its length, the length of its headers, the checksum of both, the headers, the payload, and the
// checksum of all before it.

const preludeLength = 12;
const checksumLength = 4;

const damaged = (): DamagedStreamError => new DamagedStreamError('The answer arrived damaged: a checksum is wrong.');

function frameLength(frame: Buffer): number {
  if (crc32(frame.subarray(0, 8)) !== frame.readUInt32BE(8)) throw damaged();
  const length = frame.readUInt32BE(0);
  if (length > maxEventLength) throw new EndlessStreamError();
  if (preludeLength + frame.readUInt32BE(4) + checksumLength > length) throw damaged();
  return length;
}

function eventsOf(frame: Buffer): readonly string[] {
  const end = frame.length - checksumLength;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) throw damaged();
  const begin = preludeLength + frame.readUInt32BE(4);
  const headers = headersOf(frame.subarray(preludeLength, begin));
  const payload = frame.toString('utf8', begin, end);
  const header = (name: string): string => headers.get(name) ?? '';
  switch (header(':message-type')) {
    case 'event': {
      if (header(':event-type') !== 'chunk') return [];
      const event = Buffer.from(textOf(objectIn(payload)['bytes']), 'base64').toString('utf8');
      // An event without a type keeps the connection alive.
      return event === '' || textOf(objectIn(event)['type']) === '' ? [] : [event];
    }
    case 'exception': {
      const {message, Message} = objectIn(payload);
      return [errorEvent(header(':exception-type'), textOf(message) || textOf(Message))];
    }
    case 'error':
      return [errorEvent(header(':error-code'), header(':error-message'))];
    default:
      return [];
  }
}

const errorEvent = (type: string, message: string): string => JSON.stringify({type: 'error', error: {type, message}});

function objectIn(text: string): JsonObject {
  const parsed = parseJson(text);
  if (parsed.tag === 'ok' && isJsonObject(parsed.value)) return parsed.value;
  throw new DamagedStreamError('The answer holds an event that is not JSON.');
}

/** The lengths of values by their type; `prefixed` if the length is in front of the value. */
const valueLengths = [0, 0, 1, 2, 4, 8, 'prefixed', 'prefixed', 8, 16] as const;
const textType = 7;

/** Reads the headers that hold text. */
function headersOf(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const take = (length: number): Buffer => {
    const part = bytes.subarray(at, at + length);
    if (part.length < length) throw damaged();
    at += length;
    return part;
  };
  while (at < bytes.length) {
    const name = take(take(1).readUInt8()).toString('utf8');
    const type = take(1).readUInt8();
    const length = valueLengths[type];
    if (length === undefined) throw damaged();
    const value = take(length === 'prefixed' ? take(2).readUInt16BE() : length);
    if (type === textType) headers.set(name, value.toString('utf8'));
  }
  return headers;
}
