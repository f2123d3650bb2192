import type {DiffHunk, DiffLine, FileDiff} from '../../../src/actions/preview.ts';

export const line = (kind: DiffLine['kind'], text: string): DiffLine => ({kind, text, changed: []});

export const hunk = (start: number, ...lines: readonly DiffLine[]): DiffHunk => ({
  oldStart: start,
  newStart: start,
  lines,
});

export const fileOf = (path: string, hunks: readonly DiffHunk[], more: Partial<FileDiff> = {}): FileDiff => {
  const count = (kind: DiffLine['kind']): number =>
    hunks.flatMap(({lines}) => lines).filter(one => one.kind === kind).length;
  const counts = {added: count('added'), removed: count('removed')};
  return {path, before: 'x', after: 'y', ...counts, movedFrom: undefined, notes: [], hunks, ...more};
};
