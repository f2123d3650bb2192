import type {DiffHunk, FileDiff} from '../../actions/preview.ts';
import {changeOf} from '../../actions/request-file-edits.ts';
import {unreachable} from '../../base/unreachable.ts';
import {fit} from '../text/cell-width.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {hardWrap, type Frame} from '../text/wrap.ts';
import type {Role} from '../theme/theme.ts';

/** The change of some files with line numbers. More than `most` lines are folded in the middle of each file. */
export function diffLines(files: readonly FileDiff[], most: number, frame: Frame): readonly string[] {
  return files.flatMap(file => {
    const title = `${changeOf(file)} ${visibleLine(file.path)} (+${file.added} -${file.removed})`;
    return [frame.theme.paint(['bold'], fit(title, frame.width)), ...folded(fileLines(file, frame), most, frame)];
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
