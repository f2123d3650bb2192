import {clip} from '../../base/clip.ts';
import type {DiffHunk, DiffLine} from '../../actions/preview.ts';
import {coarseChange, unmarked} from './coarse-change.ts';
import {markChanges} from './mark-changes.ts';

export interface FileChange {
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
}

const contextLines = 3;

/** Changed text (UTF-16 units) beyond which lines are not matched to each other. */
const mostMatched = 2_000_000;

/** Lines added and removed beyond which the search for the smallest difference is given up. */
const mostEdits = 1500;

/** A line longer than this is shown around what changed in it. */
const longestLine = 2000;

/**
 * The hunks that lead from one text to the other; lines are shown without their ends. Of a change that is too large to be matched
 * line by line the one hunk shows the first `mostShown` lines that go and that come; the counts are of all.
 */
export async function diffHunks(before: string, after: string, mostShown: number): Promise<FileChange> {
  const fine = await fineHunks(before, after);
  if (fine === undefined) {
    const {hunk, added, removed} = coarseChange(before, after, {context: contextLines, mostShown});
    return {added, removed, hunks: await markChanges([shorten(hunk)])};
  }
  const count = (kind: DiffLine['kind']): number =>
    fine.reduce((sum, hunk) => sum + hunk.lines.filter(line => line.kind === kind).length, 0);
  return {added: count('added'), removed: count('removed'), hunks: await markChanges(fine.map(shorten))};
}

async function fineHunks(before: string, after: string): Promise<readonly DiffHunk[] | undefined> {
  if (before.length + after.length > mostMatched) return undefined;
  const {structuredPatch} = await import('diff');
  const patch = structuredPatch('', '', before, after, '', '', {context: contextLines, maxEditLength: mostEdits});
  return patch?.hunks.map(hunk => ({
    oldStart: Math.max(1, hunk.oldStart),
    newStart: Math.max(1, hunk.newStart),
    // A line that begins with a backslash tells of a missing line end at the end of the file.
    lines: hunk.lines.filter(line => !line.startsWith('\\')).map(parseLine),
  }));
}

function parseLine(line: string): DiffLine {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context';
  return {kind, text: line.slice(1).replace(/\r$/u, ''), changed: unmarked};
}

/** Cuts long lines so that what changed in them stays in sight: a change nobody can see must not be approved. */
function shorten(hunk: DiffHunk): DiffHunk {
  if (hunk.lines.every(line => line.text.length <= longestLine)) return hunk;
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
  if (text.length <= longestLine) return text;
  const start = Math.max(0, Math.min(offset - 200, text.length - longestLine));
  return start === 0 ? clip(text, longestLine) : `…${clip(text.slice(start), longestLine - 1)}`;
}
