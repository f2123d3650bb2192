import type {DiffHunk, FileDiff} from '../../actions/preview.ts';
import {clip} from '../../base/clip.ts';
import {takeSnapshot} from './file-snapshot.ts';
import {shownText} from './planned-file.ts';

/** Files, hunks of a file, and lines of a hunk that are quoted; lines by which a change may have moved; characters of a line. */
const mostFiles = 5;
const mostHunks = 5;
const mostLines = 20;
const farthest = 500;
const longestLine = 300;

/**
 * What stands now where a change was shown, of the files that are not as they were then: with it the next try succeeds. Empty
 * where nothing can be said. `quotable` answers the real path of a file of which the model may know what is in it.
 */
export async function presentLines(
  shown: readonly FileDiff[],
  quotable: (path: string) => string | undefined,
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const diff of shown) {
    const name = diff.movedFrom ?? diff.path;
    const path = told.length < mostFiles && diff.before !== 'absent' ? quotable(name) : undefined;
    const snapshot = path === undefined ? undefined : await takeSnapshot(path);
    if (snapshot?.tag !== 'ok' || snapshot.value.kind === 'absent' || snapshot.value.hash === diff.before) continue;
    const lines = shownText(snapshot.value.bytes).split(/\r?\n/u);
    const quoted = diff.hunks.slice(0, mostHunks).map(hunk => quotedAt(hunk, lines));
    const known = quoted.filter(text => text !== '');
    if (known.length > 0) told.push(`${name} has there now:\n${known.join('\n…\n')}`);
  }
  return told;
}

/** The lines that stand where those of the hunk stood, numbered. */
function quotedAt(hunk: DiffHunk, present: readonly string[]): string {
  const old = hunk.lines.flatMap(({kind, text}) => (kind === 'added' ? [] : [text])).slice(0, mostLines);
  const start = Math.max(0, hunk.oldStart - 1 + shiftOf(old, present, hunk.oldStart - 1));
  return present
    .slice(start, start + old.length)
    .map((line, at) => `${start + at + 1}\t${clip(line, longestLine).toWellFormed()}`)
    .join('\n');
}

/** By how many lines they have moved: where most of them stand again, the nearest such place. */
function shiftOf(old: readonly string[], present: readonly string[], start: number): number {
  let best = {shift: 0, same: 0};
  for (let distance = 0; distance <= farthest; distance += 1) {
    for (const shift of distance === 0 ? [0] : [distance, -distance]) {
      const same = old.filter((line, at) => present[start + shift + at] === line).length;
      if (same > best.same) best = {shift, same};
    }
  }
  return best.shift;
}
