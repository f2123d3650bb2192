import {heldMs, released, sortReplies, type TerminalReply, widthAnswer, widthWaitMs} from './terminal-probes.ts';
import {withMembers} from './with-members.ts';

export interface Keyboard {
  /** The same stream, but for the terminal's answers; to be read by `readable` and `read()`. */
  readonly stdin: NodeJS.ReadStream;
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
    if (sorted.replies.length > 0) manner = 'answering';
    for (const reply of sorted.replies) onReply(reply);
    // An empty text would end the reading although there may be more.
    return keys === '' ? read() : keys;
  };
  return {
    stdin: withMembers(stdin, {read}),
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
