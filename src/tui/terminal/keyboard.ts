import {
  positionBeginning,
  type PositionQuery,
  positionReply,
  positionWaitMs,
  type TerminalPosition,
} from './cursor-position.ts';
import {overrideStream} from './terminal-output.ts';
import {holdTimeoutMs, probedReplies, splitReplies, type TerminalReply, typedBytes} from './terminal-probes.ts';

interface Keyboard {
  readonly stdin: NodeJS.ReadStream;
  /**
   * Returns the part of `text` for an attached program: all but replies that weft waits for. `later` gets delayed input that
   * was not a reply.
   */
  forAttachedProgram(text: string, later: (text: string) => void): string;
  askPositions(query: PositionQuery, write: (text: string) => void): Promise<readonly TerminalPosition[] | undefined>;
  close(): void;
}

/** Takes terminal replies out of stdin. Briefly holds back a possible beginning of a reply. */
export function openKeyboard(stdin: NodeJS.ReadStream, onReply: (reply: TerminalReply) => void): Keyboard {
  let held = '';
  let free = '';
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    free += typedBytes(held);
    held = '';
    // Signals the reader that there is more to read.
    if (free !== '') stdin.emit('readable');
  };
  let asked: {readonly replies: number; answer(positions: readonly TerminalPosition[] | undefined): void} | undefined;
  let positions: TerminalPosition[] = [];
  /** Replies that have not arrived. A late reply must not be read as a key. */
  let awaited = 0;
  let answerSpeed: keyof typeof positionWaitMs = 'silent';
  const withoutPositions = (text: string): string => {
    let rest = text;
    for (let found = positionReply.exec(rest); awaited > 0 && found !== null; found = positionReply.exec(rest)) {
      awaited--;
      answerSpeed = 'answering';
      rest = rest.replace(positionReply, '');
      positions.push({row: Number(found[1]), column: Number(found[2])});
      // Earlier ones are late replies to a previous query.
      if (awaited === 0 && asked !== undefined) asked.answer(positions.slice(-asked.replies));
    }
    return rest;
  };
  /** Startup probes without a reply yet. */
  const unanswered = new Set<TerminalReply['reply']>(probedReplies);
  const handleReplies = (replies: readonly TerminalReply[]): void => {
    if (replies.length > 0) answerSpeed = 'answering';
    for (const reply of replies) {
      unanswered.delete(reply.reply);
      onReply(reply);
    }
  };
  const read = (): string | null => {
    const found: unknown = stdin.read();
    // Ink sets the encoding of stdin, so a chunk is normally a string.
    const chunk = typeof found === 'string' || Buffer.isBuffer(found) ? found.toString() : '';
    if (found === null && free === '') return null;
    clearTimeout(timer);
    const sorted = splitReplies(withoutPositions(held + chunk));
    const replyAt = awaited > 0 ? sorted.keys.search(positionBeginning) : -1;
    const keysEnd = replyAt < 0 || sorted.held !== '' ? sorted.keys.length : replyAt;
    held = sorted.keys.slice(keysEnd) + sorted.held;
    const keys = free + sorted.keys.slice(0, keysEnd);
    free = '';
    if (held !== '') timer = setTimeout(release, holdTimeoutMs(held));
    handleReplies(sorted.replies);
    // Ink stops reading at an empty string although more may be buffered.
    return keys === '' ? read() : keys;
  };
  return {
    stdin: overrideStream(stdin, {read}),
    forAttachedProgram(text, later) {
      clearTimeout(timer);
      const all = withoutPositions(held + text);
      held = '';
      const sorted = splitReplies(all, kind => unanswered.delete(kind));
      handleReplies(sorted.replies);
      // Up to two bytes may be a typed key, which is passed on at once.
      if (unanswered.size === 0 || sorted.held.length <= 2) return sorted.keys + sorted.held;
      ({held} = sorted);
      timer = setTimeout(() => {
        const late = held;
        held = '';
        later(late);
      }, holdTimeoutMs(held));
      return sorted.keys;
    },
    async askPositions({text, replies}, write) {
      if (asked !== undefined) return undefined;
      const {promise, resolve: answer} = Promise.withResolvers<readonly TerminalPosition[] | undefined>();
      asked = {replies, answer};
      positions = [];
      awaited += replies;
      const late = setTimeout(answer, positionWaitMs[answerSpeed], undefined);
      write(text);
      const found = await promise;
      clearTimeout(late);
      asked = undefined;
      return found;
    },
    close: () => clearTimeout(timer),
  };
}
