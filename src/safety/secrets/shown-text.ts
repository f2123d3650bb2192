import {findEscapeSequences, type TextRange, unfinishedEscapeLength} from '../../base/escape-sequences.ts';
import {shortestLiteral} from './literal-finder.ts';

/** Parts of a text, joined, and their positions. */
interface JoinedParts {
  readonly text: string;
  /** The positions in `text` at which the parts begin, in order. */
  readonly starts: readonly number[];
  /** Returns the range in the original text for a range in `text`. Both begin and end in a part. */
  original(range: TextRange): TextRange;
}

/** A text as a terminal shows it, without escape sequences. */
export interface ShownText {
  readonly shown: JoinedParts;
  /** The texts in long escape sequences, such as the targets of links, in lines. */
  readonly inside: JoinedParts;
  /** The position of an escape sequence that the end of the text cuts off, or the length of the text. */
  readonly escapeFrom: number;
}

/** Returns the shown text, or `undefined` if the text has no escape sequences. */
export function withoutEscapes(text: string, units: 'text' | 'bytes'): ShownText | undefined {
  const escapes = findEscapeSequences(text, units);
  const escapeFrom = text.length - unfinishedEscapeLength(text.slice(escapes.at(-1)?.to ?? 0), units);
  if (escapes.length === 0 && escapeFrom === text.length) return undefined;
  const gaps: TextRange[] = [];
  let done = 0;
  for (const {from, to} of escapes) {
    if (from > done) gaps.push({from: done, to: from});
    done = to;
  }
  if (escapeFrom > done) gaps.push({from: done, to: escapeFrom});
  const long = [...escapes, {from: escapeFrom, to: text.length}].filter(({from, to}) => to - from > shortestText);
  return {shown: joinParts(text, gaps, ''), inside: joinParts(text, long, '\n'), escapeFrom};
}

/** A shorter escape sequence holds no secret: two units begin it, and one or more end it. */
const shortestText = shortestLiteral;

function joinParts(text: string, parts: readonly TextRange[], separator: string): JoinedParts {
  const starts: number[] = [];
  let length = 0;
  for (const {from, to} of parts) {
    starts.push(length);
    length += to - from + separator.length;
  }
  const originalAt = (at: number): number => {
    const part = countUpTo(starts, at) - 1;
    return (parts[part]?.from ?? 0) + at - (starts[part] ?? 0);
  };
  return {
    text: parts.map(({from, to}) => text.slice(from, to)).join(separator),
    starts,
    original: ({from, to}) => ({from: originalAt(from), to: originalAt(to - 1) + 1}),
  };
}

/** Returns how many of the ascending numbers are at most `limit`. */
function countUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the first of the ascending positions after `at`, or infinity. */
export const nextPosition = (positions: readonly number[], at: number): number =>
  positions[countUpTo(positions, at)] ?? Infinity;

/** Divides a text into what a terminal shows and its escape sequences. Sequences that may hold texts are dropped. */
export function splitEscapes(text: string, units: 'text' | 'bytes'): {readonly shown: string; readonly codes: string} {
  const escapes = findEscapeSequences(text, units);
  let shown = '';
  let codes = '';
  let done = 0;
  for (const {from, to} of escapes) {
    shown += text.slice(done, from);
    if (to - from <= shortestText || !holdsText.test(text.slice(from, from + 2))) codes += text.slice(from, to);
    done = to;
  }
  return {shown: shown + text.slice(done), codes};
}

/** Replaces each group of escape sequences with a short one. */
export function shortenEscapes(text: string, units: 'text' | 'bytes'): string {
  let short = '';
  let done = 0;
  for (const {from, to} of findEscapeSequences(text, units)) {
    if (from > done || done === 0) short += text.slice(done, from) + shortSequence;
    done = to;
  }
  return short + text.slice(done);
}

const shortSequence = '\u001B7';

// oxlint-disable-next-line no-control-regex -- an escape sequence begins with one
const holdsText = /\u001b[\]PX^_]/u;
