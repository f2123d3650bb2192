import {erasingOf, type Erasing} from '../text/erase.ts';
import {reflowOf, type Reflow} from '../text/reflow.ts';

/** What a terminal can tell about itself without being asked twice. */
export type TerminalReply =
  /** Whether frames can be shown at once (DEC mode 2026). */
  | {readonly reply: 'synchronized-output'; readonly supported: 'yes' | 'no'}
  /** The background colour as X11 writes it: `rgb:1e1e/1e1e/1e1e`. */
  | {readonly reply: 'background'; readonly colour: string}
  /** Whether it tells of its focus (DEC mode 1004). */
  | {readonly reply: 'focus-reporting'; readonly supported: 'yes' | 'no'}
  | {readonly reply: 'focus'; readonly focused: 'yes' | 'no'}
  /** Whether an erasing that begins in the first cell moves what stood there into the scrollback. */
  | {readonly reply: 'kind'; readonly reflow: Reflow; readonly erasing: Erasing}
  /** It knows the kitty keyboard protocol. */
  | {readonly reply: 'kitty-keyboard'};

/**
 * Asks for synchronized output (DECRQM), what terminal it is (DA2), the background colour (OSC 11) and the flags of the kitty keyboard
 * protocol. Who knows none answers nothing, and an answer counts whenever it comes.
 */
export const probeQueries = '\u001B[?2026$p\u001B[>c\u001B]11;?\u001B\\\u001B[?u';

/** What `probeQueries` asks for. */
export const probed = ['synchronized-output', 'kind', 'background', 'kitty-keyboard'] as const;

/** Asks for the column that the cursor gets to on its way to the right; the cursor stays where it is. */
export const widthQuery = '\u001B7\u001B[9999C\u001B[6n\u001B8';

/** The answer to `widthQuery`, which looks like the key F3 to whoever has not asked. */
// oxlint-disable-next-line no-control-regex -- a sequence of the terminal
export const widthAnswer = /\u001B\[\d+;(\d+)R/u;

/**
 * How long is waited for it, in milliseconds: somebody far away wants to see the screen drawn. A terminal that has answered something
 * before only takes its time; what is erased for a width that it does not have takes lines that were written for good.
 */
export const widthWaitMs = {silent: 300, answering: 2000} as const;

/**
 * How long a beginning that may grow into an answer is held back, in milliseconds. A single Escape, with or without a bracket, is
 * a key soon; what nobody types has time to come over a slow line.
 */
export const heldMs = (held: string): number => (held.length > 2 ? 1000 : 10);

/** What came from the terminal, apart: keys for whoever reads them, and answers. `held` may be the beginning of an answer. */
interface Sorted {
  readonly keys: string;
  readonly replies: readonly TerminalReply[];
  readonly held: string;
}

/**
 * Takes the answers out of what the terminal sent, or those that are `wanted`. Answers are taken whenever they come: a slow line must
 * not type them.
 */
export function sortReplies(text: string, wanted: 'all' | ((kind: TerminalReply['reply']) => boolean) = 'all'): Sorted {
  const end = heldFrom(text);
  const replies: TerminalReply[] = [];
  const keys = text
    .slice(0, end)
    .replaceAll(answer, (whole, mode?: string, state?: string, attributes?: string, colour?: string) => {
      const reply = attributes === undefined ? replyOf({whole, mode, state, colour}) : kindReply(attributes);
      if (wanted !== 'all' && (reply === undefined || !wanted(reply.reply))) return whole;
      if (reply !== undefined) replies.push(reply);
      return '';
    });
  return {keys, replies, held: text.slice(end)};
}

/** What to do with a beginning whose rest never came: a longer one is no key, anything else was typed. */
export const released = (held: string): string => (held.length > 2 ? '' : held);

/* oxlint-disable no-control-regex -- sequences of the terminal */
const answer =
  /\u001B\[\?(\d+);(\d+)\$y|\u001B\[\?\d{1,5}u|\u001B\[>(\d[\d;]{0,40})c|\u001B\]1[01];(rgba?:[\da-fA-F/]{1,40}|#[\da-fA-F]{3,16})(?:\u0007|\u001B\\)|\u001B\[[IO]/gu;
const beginning =
  /\u001B(?:\](?:1(?:[01](?:;[\w:/#]{0,45}\u001B?)?)?)?|\[(?:>(?:\d[\d;]{0,40})?|\?(?:\d{1,5}(?:;(?:\d{1,2}\$?)?)?)?)?)?$/u;
/* oxlint-enable no-control-regex */

const kindReply = (attributes: string): TerminalReply => ({
  reply: 'kind',
  reflow: reflowOf(attributes),
  erasing: erasingOf(attributes),
});

function heldFrom(text: string): number {
  // Most of what comes is a key without any escape sequence.
  if (!text.includes('\u001B')) return text.length;
  return beginning.exec(text)?.index ?? text.length;
}

function replyOf({
  whole,
  mode,
  state,
  colour,
}: {
  readonly whole: string;
  readonly mode: string | undefined;
  readonly state: string | undefined;
  readonly colour: string | undefined;
}): TerminalReply | undefined {
  if (whole === '\u001B[I' || whole === '\u001B[O') {
    return {reply: 'focus', focused: whole === '\u001B[I' ? 'yes' : 'no'};
  }
  if (whole.endsWith('u')) return {reply: 'kitty-keyboard'};
  // That of OSC 10 is the foreground, which nobody asked for.
  if (colour !== undefined) return whole.startsWith('\u001B]11') ? {reply: 'background', colour} : undefined;
  // 1 set, 2 reset: it can be changed. 0 unknown, 3 and 4 for good.
  const supported = state === '1' || state === '2' ? 'yes' : 'no';
  if (mode === '2026') return {reply: 'synchronized-output', supported};
  return mode === '1004' ? {reply: 'focus-reporting', supported} : undefined;
}
