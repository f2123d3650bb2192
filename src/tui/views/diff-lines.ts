import type {DiffHunk, DiffLine, FileDiff} from '../../actions/preview.ts';
import {unreachable} from '../../base/unreachable.ts';
import {fit} from '../text/cell-width.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {hardWrap, wrapText, type Frame} from '../text/wrap.ts';
import type {Role} from '../theme/theme.ts';
import {changeTitle} from './change-title.ts';

/**
 * The change of some files with line numbers, below the title that a card gives to all of it: several files have headings of
 * their own. More than `most` lines are folded in the middle of each file; `shown` may leave out what did not change.
 */
export function diffLines(
  files: readonly FileDiff[],
  {most, shown}: {readonly most: number; readonly shown: 'all' | 'changes'},
  frame: Frame,
): readonly string[] {
  return files.flatMap(file => {
    const notes = file.notes.flatMap(note => wrapText(visibleLine(note), ['warning'], frame));
    const lines = [...folded(fileLines(shown === 'all' ? file : changesOf(file), frame), most, frame), ...notes];
    return files.length === 1 ? lines : [frame.theme.paint(['bold'], changeTitle([file], frame.width)), ...lines];
  });
}

/** Keeps the first and the last lines and says how many are left out between them. */
export function folded(lines: readonly string[], most: number, frame: Frame): readonly string[] {
  if (lines.length <= most) return lines;
  const head = Math.max(0, Math.ceil((most - 1) / 2));
  const tail = Math.max(0, most - 1 - head);
  const note = `  … ${lines.length - head - tail} lines not shown`;
  return [
    ...lines.slice(0, head),
    frame.theme.paint(['dim'], fit(note, frame.width)),
    ...lines.slice(lines.length - tail),
  ];
}

/** The file's change without its context lines: each run of changed lines is a hunk of its own. */
function changesOf(file: FileDiff): FileDiff {
  const hunks = file.hunks.flatMap(({oldStart, newStart, lines}) => {
    const runs: {oldStart: number; newStart: number; lines: DiffLine[]}[] = [];
    let oldLine = oldStart;
    let newLine = newStart;
    let run: DiffLine[] | undefined;
    for (const line of lines) {
      if (line.kind === 'context') {
        run = undefined;
      } else if (run === undefined) {
        run = [line];
        runs.push({oldStart: oldLine, newStart: newLine, lines: run});
      } else {
        run.push(line);
      }
      if (line.kind !== 'added') oldLine++;
      if (line.kind !== 'removed') newLine++;
    }
    return runs;
  });
  return {...file, hunks};
}

function fileLines(file: FileDiff, frame: Frame): readonly string[] {
  const last = file.hunks.at(-1);
  const digits = last === undefined ? 1 : String(Math.max(last.oldStart, last.newStart) + last.lines.length).length;
  return file.hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : [frame.theme.paint(['dim'], `${' '.repeat(digits)}  ⋮`)]),
    ...hunkLines(hunk, digits, frame),
  ]);
}

function hunkLines(hunk: DiffHunk, digits: number, frame: Frame): readonly string[] {
  let oldLine = hunk.oldStart;
  let newLine = hunk.newStart;
  return hunk.lines.flatMap(({kind, text}) => {
    switch (kind) {
      case 'context':
        oldLine++;
        return diffLine({number: newLine++, sign: ' ', text, roles: ['dim']}, digits, frame);
      case 'added':
        return diffLine({number: newLine++, sign: '+', text, roles: ['added']}, digits, frame);
      case 'removed':
        return diffLine({number: oldLine++, sign: '-', text, roles: ['removed']}, digits, frame);
      default:
        return unreachable(kind);
    }
  });
}

function diffLine(
  line: {readonly number: number; readonly sign: string; readonly text: string; readonly roles: readonly Role[]},
  digits: number,
  frame: Frame,
): readonly string[] {
  const gutter = String(line.number).padStart(digits);
  const room = Math.max(1, frame.width - digits - 3);
  return hardWrap(visible(line.text), room).map(
    (part, at) =>
      frame.theme.paint(['dim'], at === 0 ? gutter : ' '.repeat(digits)) +
      frame.theme.paint(line.roles, ` ${at === 0 ? line.sign : ' '} ${part}`).trimEnd(),
  );
}
