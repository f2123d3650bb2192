import {borderAfter, borderBefore} from '../../text/grapheme-steps.ts';

/** Places in a text, in UTF-16 units; a line ends at its line feed, or at the end of the text. */

export const lineStart = (text: string, at: number): number => (at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

export const lineAt = (text: string, at: number): string => text.slice(lineStart(text, at), lineEnd(text, at));

export const isLineEnd = (text: string, at: number): boolean => at >= text.length || text[at] === '\n';

/** Whether the line at this place has nothing in it. */
export const isEmptyLine = (text: string, at: number): boolean => isLineEnd(text, at) && lineStart(text, at) === at;

/** The place of the first character of the line that is no blank; of the last character of a line of blanks. */
export function firstNonBlank(text: string, at: number): number {
  const line = lineAt(text, at);
  const blanks = /^[ \t]*/u.exec(line)?.[0].length ?? 0;
  return lineStart(text, at) + (blanks === line.length ? Math.max(0, blanks - 1) : blanks);
}

/** The end of the grapheme that begins here. A line feed is one. */
export function after(text: string, at: number): number {
  return isLineEnd(text, at) ? Math.min(text.length, at + 1) : borderAfter(text, at);
}

/** The start of the grapheme that ends here. */
export function before(text: string, at: number): number {
  const border = borderBefore(text, at);
  return border === at ? Math.max(0, at - 1) : border;
}

/** Where a cursor that stands on characters may stand: on the last one of a line, not behind it. */
export const onCharacter = (text: string, at: number): number =>
  isLineEnd(text, at) && !isEmptyLine(text, at) ? before(text, Math.min(at, text.length)) : Math.min(at, text.length);

export const linesBetween = (text: string, from: number, to: number): number =>
  text.slice(from, to).split('\n').length - 1;

/** The start of the line `count` lines further down (up where negative); `undefined` where there is none. */
export function stepLines(text: string, at: number, count: number): number | undefined {
  let start = lineStart(text, at);
  for (let left = Math.abs(count); left > 0; left--) {
    if (count < 0 ? start === 0 : lineEnd(text, start) >= text.length) return undefined;
    start = count < 0 ? lineStart(text, start - 1) : lineEnd(text, start) + 1;
  }
  return start;
}

/** Blanks are 0, signs 1, letters and digits 2; scripts without blanks between words are words of their own. */
export function wordClass(text: string, at: number, size: 'word' | 'WORD'): number {
  if (isLineEnd(text, at)) return 0;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (character === ' ' || character === '\t') return 0;
  if (size === 'WORD') return 1;
  const own = ownClasses.findIndex(one => one.test(character));
  if (own >= 0) return own + 3;
  return /[\p{Letter}\p{Number}\p{Mark}_]/u.test(character) ? 2 : 1;
}

const ownClasses = [
  /\p{Script=Hiragana}/u,
  /\p{Script=Katakana}/u,
  /\p{Script=Han}/u,
  /\p{Script=Hangul}/u,
  /\p{Extended_Pictographic}(?<!\p{ASCII})/u,
] as const;

/** The same, as far as there are lines; `undefined` where there is none at all. */
export function stepLinesAtMost(text: string, at: number, count: number): number | undefined {
  const step = Math.sign(count);
  let start = step === 0 ? lineStart(text, at) : stepLines(text, at, step);
  for (let left = Math.abs(count) - 1; left > 0 && start !== undefined; left--) {
    const next = stepLines(text, start, step);
    if (next === undefined) break;
    start = next;
  }
  return start;
}
