import type {Change} from '../domain/change-set.ts';
import type {PlanDraft} from '../domain/plan.ts';
import type {TextRange} from '../domain/risk.ts';

export type Preview =
  | {readonly kind: 'none'}
  | {readonly kind: 'command'; readonly command: string; readonly directory: string}
  | {readonly kind: 'diff'; readonly files: readonly FileDiff[]}
  /** The input of another program, as JSON in one line. */
  | {readonly kind: 'arguments'; readonly text: string}
  | {readonly kind: 'plan'; readonly plan: PlanDraft}
  /** The changes of a command in its view of the workspace. `asked` are the changes to decide about, and `files` are their diffs. */
  | {
      readonly kind: 'changes';
      readonly command: string;
      readonly directory: string;
      readonly asked: readonly Change[];
      readonly files: readonly FileDiff[];
    };

/** SHA-256 of a file's bytes in lower-case hex, or `absent` if there is no file. */
export type ContentState = string;

export interface FileDiff {
  readonly path: string;
  readonly before: ContentState;
  readonly after: ContentState;
  /** The previous path, if the file was renamed to `path`. */
  readonly movedFrom: string | undefined;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly DiffHunk[];
  /** Remarks, such as how the location was found or the encoding: sentences without a period. */
  readonly notes: readonly string[];
}

/** True if the hunks hold each counted line. A very large change is cut. */
export const showsAll = ({hunks, added, removed}: FileDiff): boolean =>
  added + removed <= hunks.reduce((sum, {lines}) => sum + lines.filter(({kind}) => kind !== 'context').length, 0);

export interface DiffHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly DiffLine[];
}

export interface DiffLine {
  readonly kind: 'context' | 'added' | 'removed';
  readonly text: string;
  /** The UTF-16 columns of the changed words, in order. Empty if the line has no counterpart on the other side. */
  readonly changed: readonly TextRange[];
  /** Set for the last line of a text that does not end with a line ending. */
  readonly end?: 'no-newline';
}

/** The first character of each line of a diff in plain text. */
export const lineSigns = {context: ' ', added: '+', removed: '-'} as const;

export const emptyPreview: Preview = {kind: 'none'};
