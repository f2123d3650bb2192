/** The position of a text that was found. */
export interface Hit {
  readonly from: number;
  readonly literal: string;
}

export interface LiteralFinder {
  /**
   * Returns the first text at or after `from`, and the longest if several begin there. `bytes`, the low bytes of the
   * units, make the search faster.
   */
  next(text: string, from: number, bytes?: Uint8Array): Hit | undefined;
  /** Returns where the end of `text` may be the start of one of the texts, or the length of `text` if nowhere. */
  openFrom(text: string): number;
}

/** The length of the shortest text that is searched for. Shorter ones occur by chance. */
export const shortestLiteral = 8;

/** How many code units one step examines. */
const block = 3;

const slots = 1 << 15;

/**
 * Finds any of many texts in one pass that skips most of the input (Wu and Manber). Texts shorter than `shortestLiteral` units
 * are ignored.
 */
export function makeLiteralFinder(literals: Iterable<string>): LiteralFinder {
  const distinctLiterals = [...new Set(literals)].filter(({length}) => length >= shortestLiteral);
  /** Marks the slots of texts' beginnings. */
  const begins = new Uint8Array(slots);
  const jump = new Uint8Array(slots).fill(shortestLiteral - block + 1);
  const buckets = new Map<number, string[]>();
  for (const literal of distinctLiterals) {
    for (let end = block; end <= shortestLiteral; end += 1) {
      const slot = slotAt(literal, end - block);
      jump[slot] = Math.min(jump[slot] ?? 0, shortestLiteral - end);
    }
    begins[slotAt(literal, 0)] = 1;
    const last = slotAt(literal, shortestLiteral - block);
    buckets.set(last, [...(buckets.get(last) ?? []), literal]);
  }
  // The longest comes first, because `next` reports it.
  for (const bucket of buckets.values()) bucket.sort((a, b) => b.length - a.length);
  const sorted = distinctLiterals.toSorted(byUnits);
  const longest = distinctLiterals.reduce((length, literal) => Math.max(length, literal.length), 0);

  return {
    next(text, from, bytes) {
      if (distinctLiterals.length === 0) return undefined;
      const end = text.length - shortestLiteral;
      let at = from;
      while (at <= end) {
        const place = at + shortestLiteral - block;
        const slot = bytes === undefined ? slotAt(text, place) : slotIn(bytes, place);
        const skip = jump[slot] ?? 1;
        if (skip > 0) {
          at += skip;
          continue;
        }
        const start = at;
        const literal = buckets.get(slot)?.find(each => text.startsWith(each, start));
        if (literal !== undefined) return {from: at, literal};
        at += 1;
      }
      return undefined;
    },
    openFrom(text) {
      for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
        if (at + block <= text.length && begins[slotAt(text, at)] === 0) continue;
        if (beginsOne(sorted, text.slice(at))) return at;
      }
      return text.length;
    },
  };
}

const slotAt = (text: string, at: number): number =>
  slotOf(text.charCodeAt(at) & 0xff, text.charCodeAt(at + 1) & 0xff, text.charCodeAt(at + 2) & 0xff);

const slotIn = (bytes: Uint8Array, at: number): number =>
  slotOf(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0);

const slotOf = (a: number, b: number, c: number): number => ((a * 31 + b) * 31 + c) & (slots - 1);

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
