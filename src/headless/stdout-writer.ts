import type {ControlMessage} from '../protocol/rpc/control-message.ts';
import type {RpcMessage} from '../protocol/rpc/rpc-message.ts';

/** The part of a Node stream needed for writing. It calls `done` once for each write. */
export interface TextSink {
  write(text: string, done: (error?: Error | null) => void): unknown;
}

/** The state of the output: writable, closed by its reader, or failed, for example because the disk is full. */
export type WriteState =
  | {readonly kind: 'open'}
  | {readonly kind: 'closed'}
  | {readonly kind: 'failed'; readonly message: string};

export interface StdoutWriter {
  /** Writes text. Never blocks and never throws. Drops everything after a failed write. */
  write(text: string): void;
  /** Resolves when at most `most` characters are waiting; returns `undefined` if that is already so. */
  room(most: number): Promise<void> | undefined;
  /** True if more than `most` characters are waiting. */
  isBehind(most: number): boolean;
  /** Resolves when all text has been written, or with the reason why the text never will be. */
  drained(): Promise<WriteState>;
}

/**
 * The maximum number of characters to buffer before a writer must wait: for messages from the model, and for answers to a client's
 * requests.
 */
export const maxUnread = {messages: 1024 * 1024, answers: 64 * 1024 * 1024} as const;

/**
 * Makes a writer with one write at a time. Text that arrives during a write is joined into the next write, so that a
 * slow reader gets few large writes in order. Calls `onBroken` once, at the first failed write. Errors arrive through
 * the callbacks of writes; the stream's owner must add a listener for its error event.
 */
export function makeStdoutWriter(sink: TextSink, onBroken: () => void): StdoutWriter {
  let waiting: string[] = [];
  let idle: (() => void)[] = [];
  let busy = false;
  let unread = 0;
  let behind: {readonly most: number; readonly resolve: () => void}[] = [];
  let state: WriteState = {kind: 'open'};

  function next(): void {
    if (busy) return;
    if (waiting.length === 0) {
      const resolvers = idle;
      idle = [];
      for (const resolve of resolvers) resolve();
      return;
    }
    const text = waiting.join('');
    waiting = [];
    busy = true;
    sink.write(text, error => {
      busy = false;
      unread -= text.length;
      if (error !== null && error !== undefined) breakOff(error);
      const caughtUp = behind.filter(({most}) => unread <= most);
      behind = behind.filter(({most}) => unread > most);
      for (const {resolve} of caughtUp) resolve();
      next();
    });
  }

  function breakOff(error: Error): void {
    state = stateAfter(error);
    waiting = [];
    unread = 0;
    onBroken();
  }

  return {
    write(text) {
      if (text === '' || state.kind !== 'open') return;
      waiting.push(text);
      unread += text.length;
      next();
    },
    isBehind: most => unread > most,
    room: most => (unread <= most ? undefined : new Promise(resolve => behind.push({most, resolve}))),
    async drained() {
      if (busy || waiting.length > 0) await new Promise<void>(resolve => idle.push(resolve));
      return state;
    },
  };
}

const codesOfClosed = new Set<unknown>(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

const stateAfter = (error: Error): WriteState =>
  'code' in error && codesOfClosed.has(error.code) ? {kind: 'closed'} : {kind: 'failed', message: error.message};

/** Returns the function that writes a message as a line. The older form of messages is loaded only if it is wanted. */
export const messageLines = async (
  seedMessages: 'with' | 'without',
): Promise<(message: RpcMessage | ControlMessage) => string> =>
  seedMessages === 'without'
    ? (await import('../protocol/rpc/rpc-message.ts')).jsonLine
    : (await import('../protocol/rpc/seed-messages.ts')).seedLines();
