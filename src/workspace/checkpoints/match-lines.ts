import {diffArrays} from 'diff';

/** The number of added and removed lines up to which the smallest difference is searched for at once, and in a block without unique lines. */
const fewEdits = 40;
const maxEdits = 400;

/**
 * Returns, for each line of `after`, the position of the same line in `before`, or -1. Lines that occur once on both sides are matched
 * first, so that the time hardly depends on how much changed.
 */
export function matchLines(before: readonly string[], after: readonly string[]): Int32Array {
  const found = new Int32Array(after.length).fill(-1);
  const blocks = [{from: 0, to: before.length, start: 0, end: after.length}];
  for (let block = blocks.pop(); block !== undefined; block = blocks.pop()) {
    let {from, to, start, end} = block;
    for (; from < to && start < end && before[from] === after[start]; from += 1, start += 1) found[start] = from;
    for (; from < to && start < end && before[to - 1] === after[end - 1]; to -= 1, end -= 1) found[end - 1] = to - 1;
    if (from === to || start === end) continue;
    const part = {before: before.slice(from, to), after: after.slice(start, end)};
    if (matchBlock(part, {from, start, found, edits: fewEdits})) continue;
    const anchors = uniquePairs(part.before, part.after);
    let [a, b] = [from, start];
    for (const {old, fresh} of anchors) {
      blocks.push({from: a, to: from + old, start: b, end: start + fresh});
      found[start + fresh] = from + old;
      [a, b] = [from + old + 1, start + fresh + 1];
    }
    if (anchors.length > 0) blocks.push({from: a, to, start: b, end});
    else matchBlock(part, {from, start, found, edits: maxEdits});
  }
  return found;
}

/** Matches the lines of a block with the smallest difference. Returns `false` if it has more edits. */
function matchBlock(
  {before, after}: {readonly before: string[]; readonly after: string[]},
  {
    from,
    start,
    found,
    edits,
  }: {readonly from: number; readonly start: number; readonly found: Int32Array; readonly edits: number},
): boolean {
  const changes = diffArrays(before, after, {maxEditLength: edits});
  if (changes === undefined) return false;
  let [a, b] = [from, start];
  for (const {added, removed, count} of changes) {
    if (!added && !removed) for (let at = 0; at < count; at += 1) found[b + at] = a + at;
    if (!added) a += count;
    if (!removed) b += count;
  }
  return true;
}

interface Pair {
  readonly old: number;
  readonly fresh: number;
}

/** Returns the longest series of lines that occur once on each side and come in the same order. */
function uniquePairs(before: readonly string[], after: readonly string[]): readonly Pair[] {
  const places = oncePlaces(before);
  const pairs: Pair[] = [];
  for (const [line, fresh] of oncePlaces(after)) {
    const old = places.get(line) ?? -1;
    if (old >= 0 && fresh >= 0) pairs.push({old, fresh});
  }
  // The pairs are in the order of `after`. Each end is the last pair of the shortest series of its length.
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [at, {old}] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.old ?? 0) < old) low = middle + 1;
      else high = middle;
    }
    previous[at] = ends[low - 1] ?? -1;
    ends[low] = at;
  }
  const series: Pair[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) series.push(pair);
  }
  return series.toReversed();
}

/** Returns the place of each line; -1 if it occurs more than once. */
function oncePlaces(lines: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [at, line] of lines.entries()) places.set(line, places.has(line) ? -1 : at);
  return places;
}
