import {once} from 'node:events';
import type {ServerResponse} from 'node:http';
import type {EventStream} from '../jobs/event-stream.ts';

/** Milliseconds between comments that keep a quiet connection open. */
const pingMs = 15_000;

/**
 * Sends a stream as server-sent events until it ends or the reader leaves. Takes events from the stream only as fast as the connection
 * accepts them, so a slow reader costs the server no memory. If the stream throws, calls `fail` with the cause and closes the connection.
 * The reader then requests the rest again.
 */
export function sendEvents(
  outgoing: ServerResponse,
  {
    stream,
    after,
    headers,
    fail,
  }: {
    readonly stream: EventStream;
    readonly after: number;
    readonly headers: Record<string, string>;
    readonly fail: (cause: unknown) => void;
  },
): void {
  let sent = after;
  /** `again`: more events may have arrived during sending. */
  let sending: 'no' | 'yes' | 'again' = 'no';
  const closed = new AbortController();
  outgoing.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  outgoing.flushHeaders();
  const ping = setInterval(() => {
    if (!outgoing.writableNeedDrain) outgoing.write(': ping\n\n');
  }, pingMs);
  const unsubscribe = stream.subscribe(pump);
  outgoing.on('close', () => {
    clearInterval(ping);
    unsubscribe();
    closed.abort();
  });
  pump();

  function pump(): void {
    if (sending === 'no') void send();
    else sending = 'again';
  }

  /** Never rejects. */
  async function send(): Promise<void> {
    sending = 'yes';
    try {
      for (;;) {
        // Read this first: an event between the two reads means that the stream is not over.
        const {hasEnded} = stream;
        const events = await stream.after(sent);
        if (closed.signal.aborted) return;
        if (events.length === 0) {
          if (hasEnded) outgoing.end();
          if (hasEnded || sending === 'yes') break;
          sending = 'yes';
          continue;
        }
        const text = events.map(({id, data}) => `id: ${String(id)}\ndata: ${data}\n\n`).join('');
        sent = events.at(-1)?.id ?? sent;
        if (!outgoing.write(text)) await once(outgoing, 'drain', {signal: closed.signal});
      }
      sending = 'no';
    } catch (cause) {
      if (closed.signal.aborted) return;
      fail(cause);
      outgoing.destroy();
    }
  }
}
