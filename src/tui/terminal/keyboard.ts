import {overrideStream, type TerminalExtent} from './terminal-output.ts';
import {
  holdTimeoutMs,
  probedReplies,
  splitReplies,
  type TerminalReply,
  typedPartOf,
  extentAnswer,
  extentBeginning,
  extentWaitMs,
} from './terminal-probes.ts';

interface Keyboard {
  /** Stdin without the terminal's replies; to be read with `readable` events and `read()`. */
  readonly stdin: NodeJS.ReadStream;
  /**
   * The part of `text` that belongs to a program attached to the terminal, which may query the terminal itself: everything but the
   * replies that weft still waits for. `later` gets a held-back beginning of a reply that turned out to be none.
   */
  forAttachedProgram(text: string, later: (text: string) => void): string;
  /** Waits for the answer to `extentQuery`, which `ask` is to write. */
  askExtent(ask: () => void): Promise<TerminalExtent | undefined>;
  close(): void;
}

/**
 * Takes the terminal's replies out of stdin, so that they are not read as keys. Bytes that may be the beginning of a reply are held
 * back until the rest arrives or a timeout ends.
 */
export function openKeyboard(stdin: NodeJS.ReadStream, onReply: (reply: TerminalReply) => void): Keyboard {
  let held = '';
  let free = '';
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    free += typedPartOf(held);
    held = '';
    // Signals the reader that there is more to read.
    if (free !== '') stdin.emit('readable');
  };
  let resolveExtent: ((extent: TerminalExtent | undefined) => void) | undefined;
  /** Replies that have not arrived; a late one must not be read as a key. */
  let extentsAwaited = 0;
  let answerSpeed: keyof typeof extentWaitMs = 'silent';
  const withoutExtent = (text: string): string => {
    let rest = text;
    for (let found = extentAnswer.exec(rest); extentsAwaited > 0 && found !== null; found = extentAnswer.exec(rest)) {
      extentsAwaited--;
      answerSpeed = 'answering';
      rest = rest.replace(extentAnswer, '');
      // Only the last reply is about the current size.
      if (extentsAwaited === 0) resolveExtent?.({cursorRow: Number(found[1]), columns: Number(found[2])});
    }
    return rest;
  };
  /** Probes sent at the start that have no reply yet. */
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
    const sorted = splitReplies(withoutExtent(held + chunk));
    const extentAt = extentsAwaited > 0 ? sorted.keys.search(extentBeginning) : -1;
    const keysEnd = extentAt < 0 || sorted.held !== '' ? sorted.keys.length : extentAt;
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
      const all = withoutExtent(held + text);
      held = '';
      const sorted = splitReplies(all, kind => unanswered.delete(kind));
      handleReplies(sorted.replies);
      // A beginning of up to two bytes may be a typed key, which is passed on at once.
      if (unanswered.size === 0 || sorted.held.length <= 2) return sorted.keys + sorted.held;
      ({held} = sorted);
      timer = setTimeout(() => {
        const late = held;
        held = '';
        later(late);
      }, holdTimeoutMs(held));
      return sorted.keys;
    },
    async askExtent(ask) {
      if (resolveExtent !== undefined) return undefined;
      const {promise, resolve} = Promise.withResolvers<TerminalExtent | undefined>();
      resolveExtent = resolve;
      extentsAwaited++;
      const late = setTimeout(resolve, extentWaitMs[answerSpeed], undefined);
      ask();
      const extent = await promise;
      clearTimeout(late);
      resolveExtent = undefined;
      return extent;
    },
    close: () => clearTimeout(timer),
  };
}
