import type {IncomingMessage} from 'node:http';
import {createParser} from 'eventsource-parser';

/**
 * The payloads of a server-sent event stream, those that arrive together in one batch; or, where the server answered with plain
 * JSON, all of it as one payload. The body is left as it is when the caller stops early. Rejects when the connection breaks.
 */
export async function* readServerEvents(
  body: IncomingMessage,
  kind: 'stream' | 'json',
): AsyncGenerator<readonly string[], void, void> {
  body.setEncoding('utf8');
  if (kind === 'json') {
    let whole = '';
    for await (const chunk of textOf(body)) whole += chunk;
    yield [whole];
    return;
  }
  let batch: string[] = [];
  const parser = createParser({onEvent: event => batch.push(event.data)});
  for await (const chunk of textOf(body)) {
    parser.feed(chunk);
    if (batch.length > 0) yield batch;
    batch = [];
  }
  // Some servers forget the blank line behind their last event.
  parser.feed('\n\n');
  if (batch.length > 0) yield batch;
}

const textOf = (body: IncomingMessage): AsyncIterable<string> => body.iterator({destroyOnReturn: false});
