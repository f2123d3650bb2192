import type {DiffHunk, FileDiff} from '../../actions/preview.ts';

/** What can be left out of a change: a hunk of a file, or what a file without hunks is done to. */
export interface ChangePart {
  readonly file: FileDiff;
  /** Its number in the file. */
  readonly hunk: number;
  readonly shown: DiffHunk | 'whole-file';
}

/** The parts of a change, in the order in which they are shown. */
export const changeParts = (files: readonly FileDiff[]): readonly ChangePart[] =>
  files.flatMap((file): readonly ChangePart[] =>
    file.hunks.length === 0
      ? [{file, hunk: 0, shown: 'whole-file'}]
      : file.hunks.map((shown, hunk) => ({file, hunk, shown})),
  );
