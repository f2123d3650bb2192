import {eraseBehaviourOf, type EraseBehaviour} from './terminal-output.ts';
import {reflowOf, type Reflow} from './reflow.ts';

export type TerminalReply =
  /** Support for synchronized output (DEC mode 2026). */
  | {readonly reply: 'synchronized-output'; readonly supported: 'yes' | 'no'}
  /** The background color in X11 format: `rgb:1e1e/1e1e/1e1e`. */
  | {readonly reply: 'background'; readonly colour: string}
  /** Support for reporting focus changes (DEC mode 1004). */
  | {readonly reply: 'focus-reporting'; readonly supported: 'yes' | 'no'}
  | {readonly reply: 'focus'; readonly focused: 'yes' | 'no'}
  | {readonly reply: 'kind'; readonly reflow: Reflow; readonly erasing: EraseBehaviour; readonly is: 'tmux' | 'other'}
  | {readonly reply: 'kitty-keyboard'};

/**
 * Asks for synchronized output (DECRQM), the kind of terminal (DA2), the background color (OSC 11) and the flags of the kitty
 * keyboard protocol. A terminal does not reply to unknown queries. Late replies count, too.
 */
export const probeQueries = '\u001B[?2026$p\u001B[>c\u001B]11;?\u001B\\\u001B[?u';

/**
 * Asks the terminal around tmux for its background, which tmux up to 3.3 does not know. tmux passes this on if `allow-passthrough`
 * is set, and otherwise drops it.
 */
export const backgroundQueryThroughTmux = '\u001BPtmux;\u001B\u001B]11;?\u001B\u001B\\\u001B\\';

export const probedReplies = ['synchronized-output', 'kind', 'background', 'kitty-keyboard'] as const;

/** Returns the milliseconds for which to hold a partial reply. Up to two bytes may be a typed key. */
export const holdTimeoutMs = (held: string): number => (held.length > 2 ? 1000 : 10);

/** Input split into keys and replies. `held` may be the beginning of a reply. */
interface Sorted {
  readonly keys: string;
  readonly replies: readonly TerminalReply[];
  readonly held: string;
}

/**
 * Splits `wanted` replies from keys, even if they arrive late. `all` also removes replies to another program that exited before
 * they arrived: OSC, DCS and APC strings, which can't be typed.
 */
export function splitReplies(
  text: string,
  wanted: 'all' | ((kind: TerminalReply['reply']) => boolean) = 'all',
): Sorted {
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

/** Returns the typed part of an incomplete reply: up to two bytes are a key. A longer reply is dropped. */
export const typedBytes = (held: string): string => (held.length > 2 ? '' : held);

/* oxlint-disable no-control-regex -- sequences of the terminal */
const answer =
  /\u001B\[\?(\d+);(\d+)\$y|\u001B\[\?\d{1,5}u|\u001B\[>(\d[\d;]{0,40})c|\u001B\]1[01];(rgba?:[\da-fA-F/]{1,40}|#[\da-fA-F]{3,16})(?:\u0007|\u001B\\)|\u001B\[[IO]|\u001B\]\d[^\u0007\u001B]{0,4000}(?:\u0007|\u001B\\)|\u001B(?:P[>!01][|$+]|_G)[^\u001B]{0,4000}\u001B\\/gu;
const beginning =
  /\u001B(?:\](?:\d[^\u0007\u001B]{0,4000}\u001B?)?|(?:P(?:[>!01](?:[|$+][^\u001B]{0,4000}\u001B?)?)?|_(?:G[^\u001B]{0,4000}\u001B?)?)|\[(?:>(?:\d[\d;]{0,40})?|\?(?:\d{1,5}(?:;(?:\d{1,2}\$?)?)?)?)?)?$/u;
/* oxlint-enable no-control-regex */

const kindReply = (attributes: string): TerminalReply => ({
  reply: 'kind',
  reflow: reflowOf(attributes),
  erasing: eraseBehaviourOf(attributes),
  is: attributes.startsWith('84;') ? 'tmux' : 'other',
});

function heldFrom(text: string): number {
  // Most input is a key without an escape sequence.
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
  // OSC 10 is the foreground, which was not queried.
  if (colour !== undefined) return whole.startsWith('\u001B]11') ? {reply: 'background', colour} : undefined;
  // 1 (set) and 2 (reset) can be changed. 0 is unknown, 3 and 4 are permanent.
  const supported = state === '1' || state === '2' ? 'yes' : 'no';
  if (mode === '2026') return {reply: 'synchronized-output', supported};
  return mode === '1004' ? {reply: 'focus-reporting', supported} : undefined;
}
