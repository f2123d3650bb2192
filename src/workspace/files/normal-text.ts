/**
 * What a comparison leaves out of account, from nothing to much: white space at the ends of lines; typographic signs for plain
 * ones; indentation.
 */
export const tiers = ['exact', 'line-ends', 'typography', 'indentation', 'indentation-and-typography'] as const;
export type Tier = (typeof tiers)[number];

/** A text without what a tier leaves out; `at(n)` is the offset in the original of its character n (its length: the end). */
export interface NormalText {
  readonly text: string;
  at(offset: number): number;
}

export function normalText(text: string, tier: Tier): NormalText {
  if (tier === 'exact') return {text, at: offset => offset};
  const indented = tier === 'line-ends' || tier === 'typography';
  const typographic = tier === 'typography' || tier === 'indentation-and-typography';
  return withoutOuterSpace(typographic ? plainSigns(text) : text, indented ? 'end' : 'both');
}

/** Scanned by hand: a pattern would look at a long run of spaces once for each of them. */
function withoutOuterSpace(text: string, sides: 'end' | 'both'): NormalText {
  /** Where something was left out, in offsets of the result, and how much in all up to there. */
  const cuts: number[] = [];
  const sums: number[] = [];
  const parts: string[] = [];
  let done = 0;
  let sum = 0;
  const leaveOut = (start: number, end: number): void => {
    if (start === end) return;
    parts.push(text.slice(done, start));
    cuts.push(start - sum);
    sum += end - start;
    sums.push(sum);
    done = end;
  };
  for (let start = 0; start <= text.length;) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    let first = start;
    if (sides === 'both') while (first < end && isSpace(text.charCodeAt(first))) first += 1;
    let last = end;
    while (last > first && isSpace(text.charCodeAt(last - 1))) last -= 1;
    leaveOut(start, first);
    leaveOut(last, end);
    start = end + 1;
  }
  parts.push(text.slice(done));
  return {
    text: parts.join(''),
    at(offset) {
      let low = 0;
      let high = cuts.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((cuts[middle] ?? Infinity) <= offset) low = middle + 1;
        else high = middle;
      }
      return offset + (sums[low - 1] ?? 0);
    },
  };
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;

/** One sign for one sign, so that offsets stay. */
export function plainSigns(text: string): string {
  if (!typographic.test(text)) return text;
  return text
    .replaceAll(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/gu, ' ')
    .replaceAll(/[\u2018-\u201b\u2032]/gu, "'")
    .replaceAll(/[\u201c-\u201f\u2033]/gu, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/gu, '-');
}

const typographic = /[\u00a0\u2002-\u200a\u2010-\u201f\u202f\u2032\u2033\u205f\u2212\u3000]/u;
