import type {IncomingMessage} from 'node:http';
import {isDeeperThan, maxJsonDepth, parseJson, type Json} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';

export interface BodyRefusal {
  readonly status: 400 | 413 | 415;
  readonly error: string;
}

/** Bytes over the limit that are read and dropped, so that the sender gets to read the answer. */
const drainedBytes = 64_000_000;

/** The body of a request as JSON; `undefined` where it has none. `limit` is in bytes. */
export async function readBody(
  incoming: IncomingMessage,
  limit: number,
): Promise<Outcome<Json | undefined, BodyRefusal>> {
  const {headers} = incoming;
  const length = Number(headers['content-length'] ?? 0);
  const isEmpty = headers['transfer-encoding'] === undefined && length === 0;
  const type = headers['content-type'];
  if (!isJsonType(type) && !(isEmpty && type === undefined)) {
    incoming.resume();
    return failed({status: 415, error: 'The body must be JSON: send Content-Type: application/json.'});
  }
  if (isEmpty) return ok(undefined);
  const bytes = length > drainedBytes ? 'too-large' : await readBytes(incoming, limit);
  if (bytes === 'too-large')
    return failed({status: 413, error: `The body is too large: at most ${String(limit)} bytes.`});
  if (bytes === 'broken-off') return failed({status: 400, error: 'The body broke off.'});
  if (bytes.length === 0) return ok(undefined);
  let text: string;
  try {
    text = new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    return failed({status: 400, error: 'The body is not UTF-8.'});
  }
  const json = parseJson(text);
  if (json.tag === 'failed') return failed({status: 400, error: 'The body is not JSON.'});
  if (isDeeperThan(json.value, maxJsonDepth))
    return failed({status: 400, error: `The body nests deeper than ${String(maxJsonDepth)} levels.`});
  return ok(json.value);
}

const isJsonType = (type: string | undefined): boolean => /^\s*application\/json\s*(?:;|$)/iu.test(type ?? '');

function readBytes(incoming: IncomingMessage, limit: number): Promise<Buffer | 'too-large' | 'broken-off'> {
  const {promise, resolve} = Promise.withResolvers<Buffer | 'too-large' | 'broken-off'>();
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else chunks.length = 0;
    if (size > drainedBytes) resolve('too-large');
  });
  incoming.on('end', () => resolve(size > limit ? 'too-large' : Buffer.concat(chunks)));
  incoming.on('close', () => resolve('broken-off'));
  return promise;
}
