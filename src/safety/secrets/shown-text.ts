import {findEscapeSequences, unfinishedEscapeLength} from '../../base/escape-sequences.ts';
import {shortestLiteral} from './literal-finder.ts';

interface TextRange {
  readonly from: number;
  readonly to: number;
}

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

/**
 * Visits the sequences that `findEscapeSequences` returned. `before` is where the text before a sequence begins. Returns where the text
 * after the last one begins.
 */
function forEachEscape(escapes: readonly number[], visit: (before: number, from: number, to: number) => void): number {
  let before = 0;
  for (let at = 0; at < escapes.length; at += 2) {
    const from = escapes[at] ?? 0;
    const to = escapes[at + 1] ?? 0;
    visit(before, from, to);
    before = to;
  }
  return before;
}

/** Returns the shown text, or `undefined` if the text has no escape sequences. */
export function withoutEscapes(text: string, units: 'text' | 'bytes'): ShownText | undefined {
  const escapes = findEscapeSequences(text, units);
  const escapeFrom = text.length - unfinishedEscapeLength(text.slice(escapes.at(-1) ?? 0), units);
  if (escapes.length === 0 && escapeFrom === text.length) return undefined;
  const shown = makeJoinedParts(text, '');
  const inside = makeJoinedParts(text, '\n');
  const done = forEachEscape(escapes, (before, from, to) => {
    if (from > before) shown.add(before, from);
    if (to - from > shortestText) inside.add(from, to);
  });
  if (escapeFrom > done) shown.add(done, escapeFrom);
  if (text.length - escapeFrom > shortestText) inside.add(escapeFrom, text.length);
  return {shown: shown.joined(), inside: inside.joined(), escapeFrom};
}

/** A shorter escape sequence holds no secret: two units begin it, and one or more end it. */
const shortestText = shortestLiteral;

function makeJoinedParts(text: string, separator: string) {
  let joined = '';
  const starts: number[] = [];
  /** The positions of the parts in `text`. */
  const origins: number[] = [];
  const originalAt = (at: number): number => {
    const part = countUpTo(starts, at) - 1;
    return (origins[part] ?? 0) + at - (starts[part] ?? 0);
  };
  return {
    add(from: number, to: number): void {
      starts.push(joined.length);
      origins.push(from);
      joined += text.slice(from, to) + separator;
    },
    joined: (): JoinedParts => ({
      text: joined,
      starts,
      original: ({from, to}) => ({from: originalAt(from), to: originalAt(to - 1) + 1}),
    }),
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
  let shown = '';
  let codes = '';
  const done = forEachEscape(findEscapeSequences(text, units), (before, from, to) => {
    shown += text.slice(before, from);
    if (to - from <= shortestText || !holdsText.test(text.slice(from, from + 2))) codes += text.slice(from, to);
  });
  return {shown: shown + text.slice(done), codes};
}

/** Replaces each group of escape sequences with a short one. */
export function shortenEscapes(text: string, units: 'text' | 'bytes'): string {
  let short = '';
  const done = forEachEscape(findEscapeSequences(text, units), (before, from) => {
    if (from > before || before === 0) short += text.slice(before, from) + shortSequence;
  });
  return short + text.slice(done);
}

const shortSequence = '\u001B7';

// oxlint-disable-next-line no-control-regex -- an escape sequence begins with one
const holdsText = /\u001b[\]PX^_]/u;
