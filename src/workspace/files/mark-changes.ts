import type {DiffHunk, DiffLine, TextRange} from '../../actions/preview.ts';

/** Lines of one run (removed, then added) that are compared with each other, and characters compared in one diff. */
const mostPaired = 60;
const mostCompared = 200_000;

/** Words added and removed in a line beyond which only its two ends are compared. */
const mostWordEdits = 300;

/** How much of the words of two lines must be the same for one to count as the other's counterpart. */
const leastAlike = 0.4;

/** Marks the words that changed in lines that have a counterpart on the other side. Bounded work, whatever the lines are. */
export async function markChanges(hunks: readonly DiffHunk[]): Promise<readonly DiffHunk[]> {
  const marks = new Map<DiffLine, readonly TextRange[]>();
  let left = mostCompared;
  for (const run of hunks.flatMap(runsOf)) {
    for (const [removed, added] of counterparts(run)) {
      left -= removed.text.length + added.text.length;
      if (left < 0) break;
      const ranges = await changedWords(removed.text, added.text);
      marks.set(removed, ranges.removed);
      marks.set(added, ranges.added);
    }
  }
  if (marks.size === 0) return hunks;
  return hunks.map(hunk => ({
    ...hunk,
    lines: hunk.lines.map(line => ({...line, changed: marks.get(line) ?? line.changed})),
  }));
}

/** Lines that went and the lines that came in their place. */
interface Run {
  readonly removed: DiffLine[];
  readonly added: DiffLine[];
}

function runsOf({lines}: DiffHunk): readonly Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  for (const line of lines) {
    if (line.kind === 'context') {
      run = undefined;
      continue;
    }
    if (run === undefined || (line.kind === 'removed' && run.added.length > 0)) {
      run = {removed: [], added: []};
      runs.push(run);
    }
    // One more tells that the run is too long to be compared.
    if (run[line.kind].length <= mostPaired) run[line.kind].push(line);
  }
  return runs.filter(({removed, added}) => removed.length > 0 && added.length > 0);
}

/** Pairs in the order of the lines, as alike as they can be in all. */
function counterparts({removed, added}: Run): readonly (readonly [DiffLine, DiffLine])[] {
  if (Math.max(removed.length, added.length) > mostPaired) return [];
  const from = removed.map(({text}) => wordCounts(text));
  const to = added.map(({text}) => wordCounts(text));
  const alike = from.map(was => to.map(is => likeness(was, is)));
  /** The best that pairs of the lines from there on can come to. */
  const best = Array.from({length: removed.length + 1}, () => Array.from({length: added.length + 1}, () => 0));
  for (let row = removed.length - 1; row >= 0; row -= 1) {
    for (let column = added.length - 1; column >= 0; column -= 1) {
      const pair = at(alike, row, column);
      const paired = pair < leastAlike ? 0 : pair + at(best, row + 1, column + 1);
      const cells = best[row] ?? [];
      cells[column] = Math.max(paired, at(best, row + 1, column), at(best, row, column + 1));
    }
  }
  const pairs: (readonly [DiffLine, DiffLine])[] = [];
  for (let row = 0, column = 0; row < removed.length && column < added.length;) {
    const here = at(best, row, column);
    if (here === at(best, row + 1, column)) row += 1;
    else if (here === at(best, row, column + 1)) column += 1;
    else {
      const was = removed[row];
      const is = added[column];
      if (was !== undefined && is !== undefined) pairs.push([was, is]);
      row += 1;
      column += 1;
    }
  }
  return pairs;
}

const at = (table: readonly (readonly number[])[], row: number, column: number): number => table[row]?.[column] ?? 0;

/** Words with their marks, runs of white space, and every other sign for itself. */
const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}\p{M}_]+|\s+|./gu) ?? [];

function wordCounts(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) if (word.trim() !== '') counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function likeness(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0;
  let all = 0;
  for (const [word, count] of a) {
    common += Math.min(count, b.get(word) ?? 0) * word.length;
    all += count * word.length;
  }
  for (const [word, count] of b) all += count * word.length;
  return all === 0 ? 0 : (2 * common) / all;
}

interface ChangedWords {
  readonly removed: readonly TextRange[];
  readonly added: readonly TextRange[];
}

async function changedWords(removed: string, added: string): Promise<ChangedWords> {
  const {diffArrays} = await import('diff');
  const was = wordsOf(removed);
  const is = wordsOf(added);
  const parts = diffArrays([...was], [...is], {maxEditLength: mostWordEdits});
  if (parts === undefined) return betweenEnds(was, is);
  const ranges = {removed: new Array<TextRange>(), added: new Array<TextRange>()};
  const end = {removed: 0, added: 0};
  for (const part of parts) {
    const length = part.value.reduce((sum, word) => sum + word.length, 0);
    if (!part.added) end.removed += length;
    if (!part.removed) end.added += length;
    if (part.removed) ranges.removed.push({from: end.removed - length, to: end.removed});
    if (part.added) ranges.added.push({from: end.added - length, to: end.added});
  }
  return ranges;
}

/** All between the words that both begin and end with. */
function betweenEnds(was: readonly string[], is: readonly string[]): ChangedWords {
  const most = Math.min(was.length, is.length);
  let head = 0;
  while (head < most && was[head] === is[head]) head += 1;
  let tail = 0;
  while (tail < most - head && was[was.length - 1 - tail] === is[is.length - 1 - tail]) tail += 1;
  const range = (words: readonly string[]): readonly TextRange[] => {
    const from = words.slice(0, head).join('').length;
    const to = words.slice(0, words.length - tail).join('').length;
    return from === to ? [] : [{from, to}];
  };
  return {removed: range(was), added: range(is)};
}
