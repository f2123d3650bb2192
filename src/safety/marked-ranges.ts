import type {TextRange} from '../domain/risk.ts';

/** The same stretches in order, overlapping ones as one. */
export function markedRanges(ranges: readonly TextRange[]): readonly TextRange[] {
  const merged: TextRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && range.from <= last.to)
      merged[merged.length - 1] = {from: last.from, to: Math.max(last.to, range.to)};
    else merged.push(range);
  }
  return merged;
}
