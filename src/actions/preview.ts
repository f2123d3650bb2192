import type {Change} from '../domain/change-set.ts';
import type {PlanDraft} from '../domain/plan.ts';
import type {TextRange} from '../domain/risk.ts';

export type Preview =
  | {readonly kind: 'none'}
  | {readonly kind: 'command'; readonly command: string; readonly directory: string}
  | {readonly kind: 'diff'; readonly files: readonly FileDiff[]}
  /** What another program is given, as JSON text in one line. */
  | {readonly kind: 'arguments'; readonly text: string}
  | {readonly kind: 'plan'; readonly plan: PlanDraft}
  /** What a command has changed in its view of the workspace. `files` are the diffs of `asked`, which are the changes to decide about. */
  | {
      readonly kind: 'changes';
      readonly command: string;
      readonly directory: string;
      readonly asked: readonly Change[];
      readonly files: readonly FileDiff[];
    };

/** SHA-256 of a file's bytes in lower hex, or `absent` where there is no file. */
export type ContentState = string;

export interface FileDiff {
  readonly path: string;
  readonly before: ContentState;
  readonly after: ContentState;
  /** Where the file was before, when it was renamed to `path`. */
  readonly movedFrom: string | undefined;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly DiffHunk[];
  /** What should be known of it besides: how the place was found, the encoding. Sentences without a full stop. */
  readonly notes: readonly string[];
}

/** Whether the hunks hold each line that is counted: of a very large change they hold the first ones. */
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
  /** The UTF-16 columns of the words of it that changed, in order, where it has a counterpart on the other side; empty where it has none. */
  readonly changed: readonly TextRange[];
}

export const nothingToShow: Preview = {kind: 'none'};
