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

/** Lines of a file as the model was shown them, the first one's number before them. */
export interface SeenLines {
  readonly firstLine: number;
  readonly lines: readonly string[];
}

/** Lines of context around a text, and of a file that is quoted as a whole. */
const context = 5;
const mostWhole = 30;

/**
 * The lines that stand now where `wanted` stood in what the model has seen, with those around them, numbered; all lines of a short
 * file. Empty where the place is not known.
 */
export function linesAround(
  wanted: string,
  {seen, present}: {readonly seen: SeenLines | undefined; readonly present: string},
): string {
  const lines = present.replace(/\r?\n$/u, '').split(/\r?\n/u);
  if (lines.length <= mostWhole) return numbered(lines, 0, lines.length);
  const target = wanted.split(/\r?\n/u).map(line => line.trim());
  const telling = target.find(line => line !== '') ?? '';
  const place =
    seen?.lines.findIndex(line => line.trim() === telling || (telling !== '' && line.includes(telling))) ?? -1;
  if (seen === undefined || telling === '' || place < 0) return '';
  const from = Math.max(0, place - context);
  const old = seen.lines.slice(from, place + target.length + context).slice(0, mostLines + 2 * context);
  const start = seen.firstLine - 1 + from;
  const now = Math.max(0, start + shiftOf(old, lines, start));
  return numbered(lines, now, old.length + context);
}

const numbered = (lines: readonly string[], start: number, count: number): string =>
  lines
    .slice(start, start + count)
    .map((line, at) => `${start + at + 1}\t${clip(line, longestLine).toWellFormed()}`)
    .join('\n');

/** The lines that stand where those of the hunk stood, numbered. */
function quotedAt(hunk: DiffHunk, present: readonly string[]): string {
  const old = hunk.lines.flatMap(({kind, text}) => (kind === 'added' ? [] : [text])).slice(0, mostLines);
  const start = Math.max(0, hunk.oldStart - 1 + shiftOf(old, present, hunk.oldStart - 1));
  return numbered(present, start, old.length);
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
