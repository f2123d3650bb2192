/** The position of a text that was found. */
export interface LiteralMatch {
  readonly from: number;
  readonly literal: string;
}

export interface LiteralFinder {
  /**
   * Returns the first text at or after `from`, and the longest if several begin there. `bytes`, the low bytes of the
   * units, make the search faster.
   */
  next(text: string, from: number, bytes?: Uint8Array): LiteralMatch | undefined;
  /** Returns the position from which the end of `text` may begin one of the texts, or the length of `text` if there is none. */
  openFrom(text: string): number;
}

/** The length of the shortest text that is searched for. Shorter ones occur by chance. */
export const shortestLiteral = 8;

/** How many units are compared at once, and how far apart such groups are: each literal contains a whole one. */
const group = 4;
const step = shortestLiteral - group + 1;

const slots = 1 << 16;

interface Candidate {
  readonly literal: string;
  /** The position of the group in the literal. */
  readonly offset: number;
}

/**
 * Finds any of many texts in one pass that examines groups of units side by side. Texts shorter than `shortestLiteral` units are
 * ignored.
 */
export function makeLiteralFinder(literals: Iterable<string>): LiteralFinder {
  const distinctLiterals = [...new Set(literals)].filter(({length}) => length >= shortestLiteral);
  /** Marks the slots of the literals' beginnings, and of the groups that the search may meet first. */
  const begins = new Uint8Array(slots);
  const isMet = new Uint8Array(slots);
  const candidates = new Map<number, Candidate[]>();
  for (const literal of distinctLiterals) {
    begins[slotAt(literal, 0)] = 1;
    for (let offset = 0; offset < step; offset += 1) {
      const slot = slotAt(literal, offset);
      isMet[slot] = 1;
      const known = candidates.get(slot);
      if (known === undefined) candidates.set(slot, [{literal, offset}]);
      else known.push({literal, offset});
    }
  }
  // `next` reports the first candidate: the one that begins first in the text, and among several at one position the longest.
  for (const each of candidates.values()) {
    each.sort((a, b) => b.offset - a.offset || b.literal.length - a.literal.length);
  }
  const sorted = distinctLiterals.toSorted(byUnits);
  const longest = distinctLiterals.reduce((length, literal) => Math.max(length, literal.length), 0);

  return {
    next(text, from, bytes) {
      if (distinctLiterals.length === 0) return undefined;
      const end = text.length - group;
      for (let at = from; at <= end; at += step) {
        const slot = bytes === undefined ? slotAt(text, at) : slotIn(bytes, at);
        if (isMet[slot] === 0) continue;
        for (const {literal, offset} of candidates.get(slot) ?? []) {
          if (at - offset >= from && text.startsWith(literal, at - offset)) return {from: at - offset, literal};
        }
      }
      return undefined;
    },
    openFrom(text) {
      for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
        if (at + group <= text.length && begins[slotAt(text, at)] === 0) continue;
        if (beginsOne(sorted, text.slice(at))) return at;
      }
      return text.length;
    },
  };
}

const slotAt = (text: string, at: number): number =>
  slotOf(
    (text.charCodeAt(at) & 0xff) |
      ((text.charCodeAt(at + 1) & 0xff) << 8) |
      ((text.charCodeAt(at + 2) & 0xff) << 16) |
      ((text.charCodeAt(at + 3) & 0xff) << 24),
  );

const slotIn = (bytes: Uint8Array, at: number): number =>
  slotOf((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24));

const slotOf = (units: number): number => Math.imul(units, 0x9e3779b1) >>> 16;

const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** True if one of the sorted texts begins with `start` and is longer. */
function beginsOne(sorted: readonly string[], start: string): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < start) low = middle + 1;
    else high = middle;
  }
  for (let at = low; at < sorted.length; at += 1) {
    const literal = sorted[at] ?? '';
    if (!literal.startsWith(start)) return false;
    if (literal.length > start.length) return true;
  }
  return false;
}
