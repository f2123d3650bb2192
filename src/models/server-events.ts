import type {IncomingMessage} from 'node:http';
import {createParser} from 'eventsource-parser';

/**
 * UTF-16 units of one event, and of all of a stream, whatever is in them: the longest answers of models have some tens of millions
 * in a stream that tells every token on its own.
 */
const mostEventLength = 32 * 1024 * 1024;
const mostStreamLength = 256 * 1024 * 1024;

/** The server sends without an end. */
export class EndlessEvents extends Error {
  override readonly name = 'EndlessEvents';
}

/**
 * The payloads of a server-sent event stream, those that arrive together in one batch; or, where the server answered with plain
 * JSON, all of it as one payload. The body is left as it is when the caller stops early. Rejects when the connection breaks, and with
 * `EndlessEvents`.
 */
export async function* readServerEvents(
  body: IncomingMessage,
  kind: 'stream' | 'json',
): AsyncGenerator<readonly string[], void, void> {
  body.setEncoding('utf8');
  let unread = 0;
  let total = 0;
  const count = (chunk: string): void => {
    unread += chunk.length;
    total += chunk.length;
    if (unread > mostEventLength || total > mostStreamLength) throw new EndlessEvents();
  };
  if (kind === 'json') {
    const chunks: string[] = [];
    for await (const chunk of textOf(body)) {
      count(chunk);
      chunks.push(chunk);
    }
    yield [chunks.join('')];
    return;
  }
  let batch: string[] = [];
  const parser = createParser({onEvent: event => batch.push(event.data)});
  for await (const chunk of textOf(body)) {
    count(chunk);
    parser.feed(chunk);
    if (batch.length > 0) {
      yield batch;
      unread = 0;
    }
    batch = [];
  }
  // Some servers forget the blank line behind their last event.
  parser.feed('\n\n');
  if (batch.length > 0) yield batch;
}

const textOf = (body: IncomingMessage): AsyncIterable<string> => body.iterator({destroyOnReturn: false});
