/** The part of a Node stream that writing needs. `done` is called once for each write. */
export interface TextSink {
  write(text: string, done: (error?: Error | null) => void): unknown;
}

/** What became of the text so far: taken, refused because nobody reads any more, or lost to a fault such as a full disk. */
export type WriteState =
  | {readonly kind: 'open'}
  | {readonly kind: 'closed'}
  | {readonly kind: 'failed'; readonly message: string};

export interface StdoutWriter {
  /** Never blocks and never throws. After a write that was not taken, everything further is dropped. */
  write(text: string): void;
  /** Resolves when at most so many characters wait to be taken; `undefined` where that is so already. */
  room(most: number): Promise<void> | undefined;
  /** Whether more than so many characters wait to be taken. */
  isBehind(most: number): boolean;
  /** Resolves when all text has been taken, or with the reason why it never will be. */
  drained(): Promise<WriteState>;
}

/** How many characters may wait to be read before the writer of more has to wait: for messages of the model, and for answers to a client's requests. */
export const maxUnread = {messages: 1024 * 1024, answers: 64 * 1024 * 1024} as const;

/**
 * Keeps one write under way: what comes meanwhile is joined into the next one, so that a slow reader costs few large writes
 * and order holds. `onBroken` is called once, at the first write that was not taken. Errors are heard through the callbacks
 * of the writes; that an error event of the stream has a listener is for the stream's owner to see to.
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
