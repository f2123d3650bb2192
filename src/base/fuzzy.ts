/** Scores the range `from`…`to` (in bytes, half open) of UTF-8 text; `noFit` if the query's letters do not appear in order. */
export type FuzzyScorer = (text: Uint8Array, from: number, to: number) => number;

/**
 * Returns a function that scores how well text matches `query`: the letters of the query must appear in order, not
 * necessarily side by side. `query` is UTF-8 with A to Z in lower case. A higher score is better: letters score more
 * when they are adjacent, at the beginning of words, in the last part of a path, or when little text surrounds them.
 * The scorer is called up to half a million times between two key presses, so it takes numbers and allocates as little
 * as possible.
 */
export function fuzzyScorer(query: Uint8Array): FuzzyScorer {
  if (query.length === 0) return (text, from, to) => -depthOf(text, from, to) * 8;
  return (text, from, to) => {
    const end = endOf(query, text, from, to);
    if (end < 0) return noFit;
    const around = Math.min(maxAround, to - from) / 4;
    const name = nameStart(text, from, to);
    const endInName = name === from ? end : endOf(query, text, name, to);
    return endInName < 0
      ? scoreAt(query, text, {from, end, to}) - around
      : scoreAt(query, text, {from: name, end: endInName, to}) + nameBonus - around;
  };
}

export const noFit = Number.NEGATIVE_INFINITY;

const letterScore = 16;
const besideBonus = 14;
const wordBonus = 10;
const startBonus = 8;
const nameBonus = 30;
const wholeBonus = 24;
const maxGap = 12;
const maxAround = 200;

/** Returns the position after the last letter of the first match in the range; -1 if a letter is missing. */
function endOf(query: Uint8Array, text: Uint8Array, from: number, to: number): number {
  const {length} = query;
  let wanted = query[0] ?? 0;
  let found = 0;
  for (let at = from; at < to; at += 1) {
    const byte = text[at] ?? 0;
    if (byte !== wanted && (byte < 0x41 || byte > 0x5a || byte + 32 !== wanted)) continue;
    found += 1;
    if (found === length) return at + 1;
    wanted = query[found] ?? 0;
  }
  return -1;
}

/** Scores the shortest match that ends at `end`, found by walking backwards from there. */
function scoreAt(
  query: Uint8Array,
  text: Uint8Array,
  {from, end, to}: {readonly from: number; readonly end: number; readonly to: number},
): number {
  let wanted = query.length - 1;
  let score = 0;
  let after = -1;
  for (let at = end - 1; wanted >= 0; at -= 1) {
    if (small(text[at] ?? 0) !== query[wanted]) continue;
    score += letterScore;
    if (after === at + 1) score += besideBonus;
    else if (after >= 0) score -= Math.min(maxGap, after - at - 1);
    if (at === from) score += wordBonus + startBonus;
    else if (beginsWord(text[at - 1] ?? 0, text[at] ?? 0)) score += wordBonus;
    after = at;
    wanted -= 1;
  }
  const isWhole = after === from && end - after === query.length && (end === to || text[end] === dot);
  return isWhole ? score + wholeBonus : score;
}

const slash = 0x2f;
const dot = 0x2e;

const small = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte);

/** True if a word begins here: after a character that isn't a letter or digit, and at a capital letter after a lower-case one. */
const beginsWord = (before: number, byte: number): boolean =>
  !isLetterOrDigit(before) || (byte >= 0x41 && byte <= 0x5a && before >= 0x61 && before <= 0x7a);

const isLetterOrDigit = (byte: number): boolean =>
  byte >= 0x80 || (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x30 && byte <= 0x39);

/** Returns the position at which the last part of a path begins. A slash at the end of the path belongs to this part. */
function nameStart(text: Uint8Array, from: number, to: number): number {
  for (let at = to - 2; at >= from; at -= 1) if (text[at] === slash) return at + 1;
  return from;
}

function depthOf(text: Uint8Array, from: number, to: number): number {
  let depth = 0;
  for (let at = from; at < to - 1; at += 1) if (text[at] === slash) depth += 1;
  return depth;
}
