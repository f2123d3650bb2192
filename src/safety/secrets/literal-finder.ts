/** The position of a text that was found. */
export interface LiteralMatch {
  readonly from: number;
  readonly literal: string;
}

export interface LiteralFinder {
  /** Searches for this text, too, from now on. */
  add(literal: string): void;
  /**
   * Returns the first text at or after `from`, and the longest if several begin there. `bytes`, the low bytes of the
   * units, make the search faster.
   */
  next(text: string, from: number, bytes?: AlignedBytes): LiteralMatch | undefined;
  /** Returns the position from which the end of `text` may begin one of the texts, or the length of `text` if there is none. */
  openFrom(text: string): number;
}

/** Bytes, and the same bytes in whole groups of four. */
export interface AlignedBytes {
  readonly bytes: Uint8Array;
  readonly groups: Uint32Array;
}

/** The length of the shortest text that is searched for. Shorter ones occur by chance. */
export const shortestLiteral = 8;

/** How many units are compared at once. Each literal contains a whole group, wherever the groups begin. */
const group = 4;

/** One bit for each hash of a group: few enough for the processor's cache, and enough for all groups of `maxLiterals` texts. */
const hashBits = 20;

/**
 * Finds any of many texts in one pass that examines groups of units side by side. Texts shorter than `shortestLiteral` units are
 * ignored.
 */
export function makeLiteralFinder(literals: Iterable<string>): LiteralFinder {
  const known = new Set<string>();
  /** Marks the hashes of the groups that the search may meet first. */
  const isMet = new Uint32Array(1 << (hashBits - 5));
  /** The positions of such groups in texts, one bit each. */
  const offsets = new Map<number, number>();
  /** The lengths of the texts with the same first units, in descending order. */
  const lengths = new Map<string, number[]>();
  /** The texts in the order of their units, once `openFrom` needs them. */
  let sorted: string[] | undefined;
  let longest = 0;

  function add(literal: string): void {
    if (literal.length < shortestLiteral || known.has(literal)) return;
    known.add(literal);
    longest = Math.max(longest, literal.length);
    sorted?.splice(firstAtLeast(sorted, literal), 0, literal);
    const start = literal.slice(0, shortestLiteral);
    const others = lengths.get(start) ?? [];
    if (!others.includes(literal.length)) {
      lengths.set(
        start,
        [...others, literal.length].toSorted((a, b) => b - a),
      );
    }
    for (let offset = 0; offset < group; offset += 1) {
      const hash = hashAt(literal, offset);
      isMet[hash >>> 5] = (isMet[hash >>> 5] ?? 0) | (1 << (hash & 31));
      offsets.set(hash, (offsets.get(hash) ?? 0) | (1 << offset));
    }
  }
  for (const literal of literals) add(literal);

  function literalAt(text: string, at: number): string | undefined {
    for (const length of lengths.get(text.slice(at, at + shortestLiteral)) ?? []) {
      const literal = text.slice(at, at + length);
      if (known.has(literal)) return literal;
    }
    return undefined;
  }

  return {
    add,
    next(text, from, aligned) {
      if (known.size === 0) return undefined;
      const groups = aligned?.groups;
      const start = groups === undefined ? from : from + (-from & (group - 1));
      for (let at = start, end = text.length - group; at <= end; at += group) {
        const hash = groups === undefined ? hashAt(text, at) : hashOf(groups[at >>> 2] ?? 0);
        if (((isMet[hash >>> 5] ?? 0) & (1 << (hash & 31))) === 0) continue;
        const places = offsets.get(hash) ?? 0;
        // The text that begins first comes first.
        for (let offset = group - 1; offset >= 0; offset -= 1) {
          if ((places & (1 << offset)) === 0 || at - offset < from) continue;
          const literal = literalAt(text, at - offset);
          if (literal !== undefined) return {from: at - offset, literal};
        }
      }
      return undefined;
    },
    openFrom(text) {
      for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
        if (at + group <= text.length && ((offsets.get(hashAt(text, at)) ?? 0) & 1) === 0) continue;
        sorted ??= [...known].toSorted(byUnits);
        if (beginsOne(sorted, text.slice(at))) return at;
      }
      return text.length;
    },
  };
}

/** The units of one group, whose order of bytes is that of this machine, as in `AlignedBytes`. */
const oneGroup = new Uint32Array(1);
const itsBytes = new Uint8Array(oneGroup.buffer);

function hashAt(text: string, at: number): number {
  for (let unit = 0; unit < group; unit += 1) itsBytes[unit] = text.charCodeAt(at + unit);
  return hashOf(oneGroup[0] ?? 0);
}

const hashOf = (units: number): number => Math.imul(units, 0x9e3779b1) >>> (32 - hashBits);

const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** True if one of the sorted texts begins with `start` and is longer. */
function beginsOne(sorted: readonly string[], start: string): boolean {
  for (let at = firstAtLeast(sorted, start); at < sorted.length; at += 1) {
    const literal = sorted[at] ?? '';
    if (!literal.startsWith(start)) return false;
    if (literal.length > start.length) return true;
  }
  return false;
}

/** Returns the place of the first of the sorted texts that does not come before `text`. */
function firstAtLeast(sorted: readonly string[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
