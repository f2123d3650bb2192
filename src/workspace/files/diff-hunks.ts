import type {StructuredPatchHunk} from 'diff';
import type {DiffHunk, DiffLine} from '../../actions/preview.ts';
import type {TextRange} from '../../domain/risk.ts';
import {clip} from '../../base/clip.ts';

export interface TextDiff {
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
}

const contextLines = 3;

/** Changed text (UTF-16 units) beyond which lines aren't matched to each other. */
const maxMatched = 2_000_000;

/** The number of added and removed lines beyond which the search for the smallest difference stops. */
const maxEdits = 1500;

/** A longer line is cut to the part around its change. */
const maxLineLength = 2000;

/**
 * Returns the hunks that turn one text into the other. Lines come without their endings. A change too large to match line by line is one
 * hunk with the first `maxShown` removed and added lines; the counts are of all lines.
 */
export async function diffHunks(before: string, after: string, maxShown: number): Promise<TextDiff> {
  const fine = await fineHunks(before, after);
  if (fine === undefined) {
    const {hunk, added, removed} = coarseChange(before, after, {context: contextLines, maxShown});
    return {added, removed, hunks: await markChanges([shorten(hunk)])};
  }
  return {
    added: countLines(fine, 'added'),
    removed: countLines(fine, 'removed'),
    hunks: await markChanges(fine.map(shorten)),
  };
}

export const countLines = (hunks: readonly DiffHunk[], kind: DiffLine['kind']): number =>
  hunks.reduce((sum, {lines}) => sum + lines.filter(line => line.kind === kind).length, 0);

async function fineHunks(before: string, after: string): Promise<readonly DiffHunk[] | undefined> {
  if (before.length + after.length > maxMatched) return undefined;
  const {structuredPatch} = await import('diff');
  const patch = structuredPatch('', '', before, after, '', '', {context: contextLines, maxEditLength: maxEdits});
  return patch?.hunks.map(hunkOf);
}

export const hunkOf = ({oldStart, newStart, lines}: StructuredPatchHunk): DiffHunk => ({
  oldStart: Math.max(1, oldStart),
  newStart: Math.max(1, newStart),
  // A line that begins with a backslash says that the line before it has no line ending.
  lines: lines.flatMap((line, at) => {
    if (line.startsWith('\\')) return [];
    return [lines[at + 1]?.startsWith('\\') === true ? {...parseLine(line), end: 'no-newline'} : parseLine(line)];
  }),
});

function parseLine(line: string): DiffLine {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context';
  return {kind, text: line.slice(1).replace(/\r$/u, ''), changed: emptyRanges};
}

/** Cuts long lines so that their changes stay in sight: the user must not approve a change that can't be seen. */
function shorten(hunk: DiffHunk): DiffHunk {
  if (hunk.lines.every(line => line.text.length <= maxLineLength)) return hunk;
  const removed = hunk.lines.filter(line => line.kind === 'removed');
  const added = hunk.lines.filter(line => line.kind === 'added');
  const partner = new Map<DiffLine, DiffLine>();
  for (const [at, line] of removed.entries()) {
    const other = added[at];
    if (other === undefined) break;
    partner.set(line, other);
    partner.set(other, line);
  }
  return {
    ...hunk,
    lines: hunk.lines.map(line => ({...line, text: around(line.text, firstDifference(line, partner.get(line)))})),
  };
}

function firstDifference(line: DiffLine, other: DiffLine | undefined): number {
  if (other === undefined) return 0;
  let at = 0;
  while (at < line.text.length && line.text.charCodeAt(at) === other.text.charCodeAt(at)) at += 1;
  return at;
}

function around(text: string, offset: number): string {
  if (text.length <= maxLineLength) return text;
  const start = Math.max(0, Math.min(offset - 200, text.length - maxLineLength));
  return start === 0 ? clip(text, maxLineLength) : `…${clip(text.slice(start), maxLineLength - 1)}`;
}

/** One hunk from the first to the last differing line. It may show fewer lines than it counts. */
interface CoarseChange {
  readonly hunk: DiffHunk;
  readonly added: number;
  readonly removed: number;
}

interface CoarseOptions {
  /** Lines shown around the change. */
  readonly context: number;
  /** The maximum number of removed lines, and the maximum number of added lines, in the hunk. */
  readonly maxShown: number;
}

/** Builds only the lines that are shown, because texts can be millions of lines long. A line ending at the end begins no further line. */
export function coarseChange(before: string, after: string, {context, maxShown}: CoarseOptions): CoarseChange {
  const start = commonLines(before, after);
  const old = linesFrom(before, start);
  const fresh = linesFrom(after, start);
  const tail = old === undefined || fresh === undefined ? 0 : commonTailLength(old, fresh);
  const removed = dropTail(old, tail);
  const added = dropTail(fresh, tail);
  const count = {removed: linesIn(removed), added: linesIn(added)};
  const isCut = Math.max(count.removed, count.added) > maxShown;
  const head = start === 0 ? undefined : before.slice(0, before[start - 1] === '\n' ? start - 1 : start);
  const lead = head === undefined ? [] : lastLines(head, context);
  // Lines after omitted ones would get wrong numbers.
  const trail = isCut || tail === 0 || old === undefined ? [] : firstLines(old.slice(old.length - tail + 1), context);
  const first = linesIn(head) - lead.length + 1;
  return {
    ...count,
    hunk: {
      oldStart: first,
      newStart: first,
      lines: [
        ...toDiffLines('context', lead),
        ...toDiffLines('removed', removed === undefined ? [] : firstLines(removed, maxShown)),
        ...toDiffLines('added', added === undefined ? [] : firstLines(added, maxShown)),
        ...toDiffLines('context', trail),
      ],
    },
  };
}

/** Returns the offset of the first differing line, which may be past the end of a text. */
function commonLines(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before.charCodeAt(same) === after.charCodeAt(same)) same += 1;
  const line = same === 0 ? 0 : before.lastIndexOf('\n', same - 1) + 1;
  const isWhole = line < most && endsLine(before, same) && endsLine(after, same);
  return isWhole ? same + 1 : line;
}

const endsLine = (text: string, at: number): boolean => at === text.length || text[at] === '\n';

/** Returns the lines from `start` on without the last line ending, or `undefined` if there are none. */
const linesFrom = (text: string, start: number): string | undefined =>
  start >= text.length ? undefined : text.slice(start, text.endsWith('\n') ? text.length - 1 : text.length);

/**
 * Returns the length of the lines that both texts end with. Each line counts with the line ending before it. The first
 * line counts even if no line ending comes before it.
 */
function commonTailLength(old: string, fresh: string): number {
  const most = Math.min(old.length, fresh.length);
  let same = 0;
  while (same < most && old.charCodeAt(old.length - 1 - same) === fresh.charCodeAt(fresh.length - 1 - same)) same += 1;
  if (beginsLine(old, old.length - same) && beginsLine(fresh, fresh.length - same)) return same + 1;
  const end = old.indexOf('\n', old.length - same);
  return end < 0 ? 0 : old.length - end;
}

const beginsLine = (text: string, at: number): boolean => at === 0 || text[at - 1] === '\n';

/** Returns `undefined` if no line is left. */
const dropTail = (text: string | undefined, tail: number): string | undefined =>
  text === undefined || tail > text.length ? undefined : text.slice(0, text.length - tail);

function linesIn(text: string | undefined): number {
  if (text === undefined) return 0;
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The limit of `split` must fit into 32 bits. */
const firstLines = (text: string, most: number): readonly string[] => text.split('\n', Math.min(most, 0xffffffff));

function lastLines(text: string, most: number): readonly string[] {
  const lines: string[] = [];
  let end = text.length;
  while (lines.length < most) {
    const start = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1;
    lines.unshift(text.slice(start, end));
    if (start === 0) break;
    end = start - 1;
  }
  return lines;
}

const toDiffLines = (kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] =>
  texts.map(text => ({kind, text: text.replace(/\r$/u, ''), changed: emptyRanges}));

/** Shared by all lines without marks, because there may be very many. */
const emptyRanges: DiffLine['changed'] = [];

/**
 * The maximum number of lines of one run (removed, then added) to compare with each other, and the maximum number of characters
 * to compare in one diff.
 */
const maxPaired = 60;
const maxCompared = 200_000;

/** The number of changed words in a line beyond which only its beginning and end are compared. */
const maxWordEdits = 300;

/** The share of common words from which two lines count as counterparts. */
const minSimilarity = 0.4;

/** Marks the changed words in lines that have a counterpart on the other side. The work is bounded for any input. */
async function markChanges(hunks: readonly DiffHunk[]): Promise<readonly DiffHunk[]> {
  const marks = new Map<DiffLine, readonly TextRange[]>();
  let left = maxCompared;
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
    // One line beyond the limit marks a run as too long to compare.
    if (run[line.kind].length <= maxPaired) run[line.kind].push(line);
  }
  return runs.filter(({removed, added}) => removed.length > 0 && added.length > 0);
}

/** Returns pairs in line order with the highest total similarity. */
function counterparts({removed, added}: Run): readonly (readonly [DiffLine, DiffLine])[] {
  if (Math.max(removed.length, added.length) > maxPaired) return [];
  const from = removed.map(({text}) => wordCounts(text));
  const to = added.map(({text}) => wordCounts(text));
  const alike = from.map(was => to.map(is => similarity(was, is)));
  /** The best total for pairs from this row and column on. */
  const best = Array.from({length: removed.length + 1}, () => Array.from({length: added.length + 1}, () => 0));
  for (let row = removed.length - 1; row >= 0; row -= 1) {
    for (let column = added.length - 1; column >= 0; column -= 1) {
      const pair = at(alike, row, column);
      const paired = pair < minSimilarity ? 0 : pair + at(best, row + 1, column + 1);
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

/** Splits a text into words with their marks, runs of white space, and single other characters. */
const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}\p{M}_]+|\s+|./gu) ?? [];

function wordCounts(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) if (word.trim() !== '') counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function similarity(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
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
  const parts = diffArrays([...was], [...is], {maxEditLength: maxWordEdits});
  if (parts === undefined) return changedBetweenEnds(was, is);
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

/** Marks everything between the words that both lines begin and end with. */
function changedBetweenEnds(was: readonly string[], is: readonly string[]): ChangedWords {
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
