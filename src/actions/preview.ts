/** What a person sees of an action before it runs. */
export type Preview =
  | {readonly kind: 'none'}
  | {readonly kind: 'command'; readonly command: string; readonly directory: string}
  | {readonly kind: 'diff'; readonly files: readonly FileDiff[]};

/** The change of one file. `before` and `after` are SHA-256 of the bytes (lower hex); `absent` where there is no file. */
export interface FileDiff {
  readonly path: string;
  readonly before: string | 'absent';
  readonly after: string | 'absent';
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly DiffHunk[];
}

/** Line numbers are 1-based. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly DiffLine[];
}

export interface DiffLine {
  readonly kind: 'context' | 'added' | 'removed';
  readonly text: string;
}

export const nothingToShow: Preview = {kind: 'none'};
