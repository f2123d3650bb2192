import {
  heldMs,
  probed,
  released,
  sortReplies,
  type TerminalReply,
  widthAnswer,
  widthWaitMs,
} from './terminal-probes.ts';
import {withMembers} from './with-members.ts';

export interface Keyboard {
  /** The same stream, but for the terminal's answers; to be read by `readable` and `read()`. */
  readonly stdin: NodeJS.ReadStream;
  /**
   * What is for a program that has the terminal for now, which may ask it questions of its own: all but the answers that weft still
   * waits for. `later` gets what was held back as the beginning of one.
   */
  forGuest(text: string, later: (text: string) => void): string;
  /** Waits for the answer to `widthQuery`, which `ask` is to write. */
  askWidth(ask: () => void): Promise<number | undefined>;
  close(): void;
}

/**
 * Takes the terminal's answers out of stdin before anybody takes them for keys. A beginning that may be one is held back until
 * the rest comes, or for a while.
 */
export function openKeyboard(stdin: NodeJS.ReadStream, onReply: (reply: TerminalReply) => void): Keyboard {
  let held = '';
  let free = '';
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    free += released(held);
    held = '';
    // Whoever reads by `readable` reads again.
    if (free !== '') stdin.emit('readable');
  };
  let told: ((width: number | undefined) => void) | undefined;
  /** Answers that were asked for and have not come: a late one is no key. */
  let owed = 0;
  let manner: keyof typeof widthWaitMs = 'silent';
  const withoutWidth = (text: string): string => {
    let rest = text;
    for (let found = widthAnswer.exec(rest); owed > 0 && found !== null; found = widthAnswer.exec(rest)) {
      owed--;
      manner = 'answering';
      rest = rest.replace(widthAnswer, '');
      // An earlier one is of another size.
      if (owed === 0) told?.(Number(found[1]));
    }
    return rest;
  };
  /** Asked for at the start, and not answered yet. */
  const unanswered = new Set<TerminalReply['reply']>(probed);
  const hear = (replies: readonly TerminalReply[]): void => {
    if (replies.length > 0) manner = 'answering';
    for (const reply of replies) {
      unanswered.delete(reply.reply);
      onReply(reply);
    }
  };
  const read = (): string | null => {
    const found: unknown = stdin.read();
    // Ink has asked for text.
    const chunk = typeof found === 'string' || Buffer.isBuffer(found) ? found.toString() : '';
    if (found === null && free === '') return null;
    clearTimeout(timer);
    const sorted = sortReplies(withoutWidth(held + chunk));
    held = sorted.held;
    const keys = free + sorted.keys;
    free = '';
    if (held !== '') timer = setTimeout(release, heldMs(held));
    hear(sorted.replies);
    // An empty text would end the reading although there may be more.
    return keys === '' ? read() : keys;
  };
  return {
    stdin: withMembers(stdin, {read}),
    forGuest(text, later) {
      clearTimeout(timer);
      const all = withoutWidth(held + text);
      held = '';
      const sorted = sortReplies(all, kind => unanswered.delete(kind));
      hear(sorted.replies);
      // Nobody types a longer beginning; a shorter one is a key, which is not kept waiting.
      if (unanswered.size === 0 || sorted.held.length <= 2) return sorted.keys + sorted.held;
      ({held} = sorted);
      timer = setTimeout(() => {
        const late = held;
        held = '';
        later(late);
      }, heldMs(held));
      return sorted.keys;
    },
    async askWidth(ask) {
      if (told !== undefined) return undefined;
      const {promise, resolve} = Promise.withResolvers<number | undefined>();
      told = resolve;
      owed++;
      const late = setTimeout(resolve, widthWaitMs[manner], undefined);
      ask();
      const width = await promise;
      clearTimeout(late);
      told = undefined;
      return width;
    },
    close: () => clearTimeout(timer),
  };
}
