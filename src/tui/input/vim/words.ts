import {after, before, isEmptyLine, isLineEnd, wordClass} from './place.ts';

/** How far words reach: `word` ends where letters and signs meet, `WORD` at blanks only. */
export type WordSize = 'word' | 'WORD';

interface WordMove {
  readonly size: WordSize;
  readonly count: number;
}

/** To the next word's start. For an operator (`line`) the last step does not leave its line; an empty line is a word. */
export function nextWord(text: string, from: number, {size, count, stay}: WordMove & {readonly stay: 'line' | 'no'}) {
  let at = from;
  for (let left = count - 1; left >= 0; left--) {
    const last = left === 0 && stay === 'line';
    const begun = wordClass(text, at, size);
    if (at >= text.length) return at;
    const leaves = isLineEnd(text, at);
    at = after(text, at);
    if (last && (leaves || isLineEnd(text, at))) return at;
    if (begun !== 0) {
      while (wordClass(text, at, size) === begun) {
        at = after(text, at);
        if (last && isLineEnd(text, at)) return at;
      }
    }
    while (at < text.length && wordClass(text, at, size) === 0 && !isEmptyLine(text, at)) at = after(text, at);
  }
  return at;
}

/** To the start of this word, or of the one before. */
export function previousWord(text: string, from: number, {size, count}: WordMove): number {
  let at = from;
  for (let left = count; left > 0 && at > 0; left--) {
    at = before(text, at);
    while (at > 0 && wordClass(text, at, size) === 0 && !isEmptyLine(text, at)) at = before(text, at);
    const begun = wordClass(text, at, size);
    if (begun === 0) continue;
    while (at > 0 && wordClass(text, before(text, at), size) === begun) at = before(text, at);
  }
  return at;
}

/** To the last character of a word. `here`: standing on one already, the first step stays (`cw`). */
export function wordEnd(text: string, from: number, {size, count, stop}: WordMove & {readonly stop: 'here' | 'next'}) {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left--) {
    const begun = wordClass(text, at, size);
    let next = after(text, at);
    const stays = left === count && stop === 'here' && begun !== 0 && wordClass(text, next, size) !== begun;
    if (stays) continue;
    while (next < text.length && wordClass(text, next, size) === 0) next = after(text, next);
    const run = wordClass(text, next, size);
    if (run !== 0) while (wordClass(text, after(text, next), size) === run) next = after(text, next);
    at = next;
  }
  return at >= text.length ? text.length : at;
}

/** To the last character of the word before. */
export function previousWordEnd(text: string, from: number, {size, count}: WordMove): number {
  let at = from;
  for (let left = count; left > 0 && at > 0; left--) {
    const begun = wordClass(text, at, size);
    at = before(text, at);
    if (begun !== 0) while (at > 0 && wordClass(text, at, size) === begun) at = before(text, at);
    while (at > 0 && wordClass(text, at, size) === 0 && !isEmptyLine(text, at)) at = before(text, at);
  }
  return at;
}
