import type {Duplex} from 'node:stream';
import type {AgentClient, EventListener, Op, Query, Watch} from '../agent/client.ts';
import type {AgentEvent} from '../actions/agent-event.ts';
import {ByteLineSplitter} from '../base/byte-line-splitter.ts';
import {failed} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {causeText, rejected} from '../domain/fault.ts';

/*
 * A client at the other end of a stream. Client and server exchange one JSON value per line, with bytes as base64. Both ends are the same
 * version of weft. An unreadable line ends the connection, but never the session.
 */

type ClientLine =
  | {readonly type: 'submit'; readonly op: Op}
  | {readonly type: 'subscribe' | 'unsubscribe' | 'cancel'; readonly id: number}
  | {readonly type: 'query'; readonly id: number; readonly request: Query}
  | {readonly type: 'watch'; readonly id: number; readonly request: Watch}
  | {readonly type: 'close'; readonly id: number; readonly reason: 'finished' | 'shutdown'};

type ServerLine =
  | {readonly type: 'events'; readonly id: number; readonly events: readonly AgentEvent[]}
  | {readonly type: 'piece'; readonly id: number; readonly piece: unknown}
  /** The answer to a query, the end of a watch, or the end of a close. */
  | {readonly type: 'settled'; readonly id: number; readonly value: unknown};

/** The longest line, in bytes. The opening of a session contains its whole history. */
const longestLine = 64 * 1024 * 1024;

/** The maximum number of bytes to buffer for a reader. A reader that stalls is disconnected, because the session continues. */
const maxUnsent = 32 * 1024 * 1024;

/** Serves a client to the other end of a stream. When the stream ends, its queries and watches are cancelled. */
export function serveClientOver(client: AgentClient, stream: Duplex): void {
  const open = new Map<number, AbortController>();
  const subscriptions = new Map<number, () => void>();
  const send = (line: ServerLine): void => {
    if (!stream.writable) return;
    stream.write(encodeLine(line));
    if (stream.writableLength > maxUnsent) stream.destroy();
  };
  const read = (line: unknown): void => {
    // The other end runs the same version and writes nothing else; see the catch.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- so its lines have this type
    take(line as ClientLine).catch(() => stream.destroy());
  };
  void readLines(stream, read, () => {});
  // The `close` event handles a broken stream.
  stream.on('error', () => {});
  stream.once('close', () => {
    for (const abort of open.values()) abort.abort();
    for (const end of subscriptions.values()) end();
  });

  async function take(line: ClientLine): Promise<void> {
    switch (line.type) {
      case 'submit':
        client.submit(line.op);
        return;
      case 'subscribe': {
        const {id} = line;
        subscriptions.set(
          id,
          client.subscribe(events => send({type: 'events', id, events})),
        );
        return;
      }
      case 'unsubscribe':
        subscriptions.get(line.id)?.();
        subscriptions.delete(line.id);
        return;
      case 'cancel':
        open.get(line.id)?.abort();
        return;
      case 'query': {
        const {id, request} = line;
        await settle(id, signal => client.query(request, signal));
        return;
      }
      case 'watch': {
        const {id, request} = line;
        await settle(id, signal => client.watch(request, piece => send({type: 'piece', id, piece}), signal));
        return;
      }
      case 'close':
        await client.close(line.reason);
        send({type: 'settled', id: line.id, value: null});
        return;
      default:
        unreachable(line);
    }
  }

  async function settle(id: number, run: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const abort = new AbortController();
    open.set(id, abort);
    const value = await run(abort.signal);
    open.delete(id);
    send({type: 'settled', id, value});
  }
}

/**
 * Returns the client at the other end of a stream. When the stream ends, open queries fail and listeners get a notice. Nothing is read
 * while an event listener is busy, so a server that sends endlessly costs no memory here.
 */
export function connectClient(stream: Duplex): AgentClient {
  let ids = 0;
  const listeners = new Map<number, EventListener>();
  const pieces = new Map<number, (piece: unknown) => void>();
  const open = new Map<number, (value: unknown) => void>();
  let isLost = false;
  const send = (line: ClientLine): void => void (stream.writable && stream.write(encodeLine(line)));
  let why = 'Lost the connection to the server.';
  const read = (received: unknown): ReturnType<EventListener> => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end of the pair writes nothing else
    const line = received as ServerLine;
    switch (line.type) {
      case 'events':
        return listeners.get(line.id)?.(line.events);
      case 'piece':
        return pieces.get(line.id)?.(line.piece);
      case 'settled':
        return open.get(line.id)?.(line.value);
      default:
        return unreachable(line);
    }
  };
  void readLines(stream, read, () => {
    why = `The server sent a message of more than ${longestLine / 1024 / 1024} MB. weft closed the connection.`;
  });
  stream.on('error', () => {});
  stream.once('close', () => {
    isLost = true;
    for (const settle of open.values()) settle(lost);
    for (const listener of listeners.values()) void listener([{event: 'notice', level: 'warning', text: why}]);
  });

  function ask<T>(line: (id: number) => ClientLine, signal: AbortSignal, piece?: (piece: unknown) => void): Promise<T> {
    const id = (ids += 1);
    return new Promise(resolve => {
      const cancel = (): void => {
        pieces.delete(id);
        send({type: 'cancel', id});
      };
      const settle = (value: unknown): void => {
        open.delete(id);
        pieces.delete(id);
        signal.removeEventListener('abort', cancel);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was asked for is answered
        resolve(value as T);
      };
      if (isLost) return settle(lost);
      open.set(id, settle);
      if (piece !== undefined) pieces.set(id, piece);
      signal.addEventListener('abort', cancel, {once: true});
      send(line(id));
      if (signal.aborted) cancel();
    });
  }

  return {
    submit: op => send({type: 'submit', op}),
    subscribe(listener) {
      const id = (ids += 1);
      listeners.set(id, listener);
      send({type: 'subscribe', id});
      return () => {
        listeners.delete(id);
        send({type: 'unsubscribe', id});
      };
    },
    query: (request, signal) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of all queries
      ask(id => ({type: 'query', id, request: request as Query}), signal),
    watch: (request, listener, signal) =>
      ask(
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of all watches
        id => ({type: 'watch', id, request: request as Watch}),
        signal,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was asked for is answered
        piece => listener(piece as Parameters<typeof listener>[0]),
      ),
    close: async reason => {
      await ask(id => ({type: 'close', id, reason}), new AbortController().signal);
    },
  };
}

const lost = failed(rejected('Lost the connection to weft.'));

/** Passes lines to `take` one at a time. A line that is too long or invalid ends the stream. Never rejects. */
async function readLines(
  stream: Duplex,
  take: (value: unknown) => ReturnType<EventListener>,
  tooLong: () => void,
): Promise<void> {
  const splitter = new ByteLineSplitter(longestLine);
  try {
    for await (const chunk of stream) {
      const lines = splitter.push(chunk);
      if (lines === 'too-long') {
        tooLong();
        break;
      }
      for (const line of lines) await take(decodeValue(JSON.parse(line)));
    }
  } catch {
    stream.destroy();
  }
}

const encodeLine = (value: unknown): string => `${JSON.stringify(encodeValue(value))}\n`;

/** Encodes plain data for JSON: bytes are marked, and errors become their text. Throws on anything else. */
export function encodeValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return {$bytes: Buffer.from(value).toString('base64')};
  if (value instanceof Error) return causeText(value);
  if (Array.isArray(value)) return value.map(encodeValue);
  if (typeof value === 'object' && value !== null) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw new Error('not plain data');
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [escaped(key), encodeValue(one)]));
  }
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
    throw new Error(`not plain data: ${typeof value}`);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`not a JSON number: ${value}`);
  return value;
}

export function decodeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeValue);
  if (typeof value !== 'object' || value === null) return value;
  if ('$bytes' in value && typeof value.$bytes === 'string') return new Uint8Array(Buffer.from(value.$bytes, 'base64'));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.replace(/^\$\$/u, '$'), decodeValue(one)]));
}

/** Escapes a key that begins with `$`, so that it is not taken for a mark. */
const escaped = (key: string): string => (key.startsWith('$') ? `$${key}` : key);
