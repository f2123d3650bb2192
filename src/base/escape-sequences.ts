/** `bytes`: each unit of a text is a byte of UTF-8. */
type Units = 'text' | 'bytes';

/* oxlint-disable no-control-regex -- control characters are what this file is about */
/** Matches complete escape sequences: CSI; OSC (titles, links); DCS, SOS, PM, APC; two-character and charset sequences. */
export const escapeSequence =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)|\u001b[PX^_][^\u001b\n]*\u001b\\|\u001b[ -/]*[0-OQ-WYZ\\`-~]/gu;

const unfinishedEscape = /(?:(?:\u001b\[|\u009b)[0-?]*[ -/]*|\u001b[\]PX^_][^\u0007\u001b\n]*\u001b?|\u001b[ -/]*)$/u;
/* oxlint-enable no-control-regex */

/** An unfinished escape sequence with more characters counts as text. */
const maxEscapeLength = 4096;

/** Each escape sequence begins with this character or with a short one that stands for two. */
const escape = '\u001B';
const shortEscapes = {text: '\u009B', bytes: '\u00C2\u009B'} satisfies Record<Units, string>;

const inBytes = ['\\u009b', '\\u00c2\\u009b'] as const;
const patterns = {
  text: {complete: new RegExp(escapeSequence.source, 'uy'), unfinished: unfinishedEscape},
  // A byte 0x9B alone is a part of another character. The end of the text may be inside this one.
  bytes: {
    complete: new RegExp(escapeSequence.source.replace(...inBytes), 'uy'),
    unfinished: new RegExp(`${unfinishedEscape.source.replace(...inBytes)}|\u00C2$`, 'u'),
  },
} satisfies Record<Units, {complete: RegExp; unfinished: RegExp}>;

/** True if a text may contain escape sequences, whole or cut off. */
export const mayHoldEscapes = (text: string, units: Units): boolean =>
  text.includes(escape) ||
  text.includes(shortEscapes[units]) ||
  (units === 'bytes' && text.endsWith(shortEscapes.bytes.charAt(0)));

/** Returns the length of the escape sequence that the end of a text cuts off, or 0 if there is none. */
export function unfinishedEscapeLength(text: string, units: Units): number {
  const from = lastEscapes(text, units);
  if (from < 0) return 0;
  const {length} = patterns[units].unfinished.exec(text.slice(from))?.[0] ?? '';
  return length <= maxEscapeLength ? length : 0;
}

/**
 * Returns a position before which no unfinished sequence begins, or -1 if there is none. Such a sequence holds at most one more
 * escape character, at its end.
 */
function lastEscapes(text: string, units: Units): number {
  const last = text.lastIndexOf(escape);
  const before = last > 0 ? text.lastIndexOf(escape, last - 1) : -1;
  if (before >= 0) return before;
  if (last >= 0) return last;
  const short = text.lastIndexOf(shortEscapes[units]);
  return short < 0 && units === 'bytes' && text.endsWith('\u00C2') ? text.length - 1 : short;
}

/** Returns where each complete escape sequence in a text begins and ends, in one list. */
export function findEscapeSequences(text: string, units: Units): readonly number[] {
  const pattern = patterns[units].complete;
  const found: number[] = [];
  let long = text.indexOf(escape);
  let short = text.indexOf(shortEscapes[units]);
  while (long >= 0 || short >= 0) {
    const from = long < 0 || (short >= 0 && short < long) ? short : long;
    pattern.lastIndex = from;
    const isComplete = pattern.test(text);
    const to = isComplete ? pattern.lastIndex : from + 1;
    if (isComplete) found.push(from, to);
    if (long >= 0 && long < to) long = text.indexOf(escape, to);
    if (short >= 0 && short < to) short = text.indexOf(shortEscapes[units], to);
  }
  return found;
}
