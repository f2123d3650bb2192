import type {Outcome} from '../base/outcome.ts';
import type {NewComment, ReviewComment} from '../domain/code-review.ts';
import type {Fault} from '../domain/fault.ts';
import type {FileDiff} from './preview.ts';

export interface ReviewDiff {
  /** The folder of the repository; paths of files are relative to it. */
  readonly root: string;
  /** What is compared, in words: `working tree against HEAD`. */
  readonly title: string;
  readonly files: readonly FileDiff[];
  /** Changed files that are not among `files`, because there are too many. */
  readonly more: number;
}

/** Reads changes from git, which writes nothing and runs no program that the repository names. */
export interface ReviewSourcePort {
  /**
   * `range` is what people write: nothing (the working tree against its last commit), a branch or commit (what has been done since it
   * parted from that), or two of them with dots between. `repository` is a path in it; empty for the workspace.
   */
  read(
    request: {readonly repository: string; readonly range: string},
    signal: AbortSignal,
  ): Promise<Outcome<ReviewDiff, Fault>>;
}

export interface ReviewPort {
  /** Adds comments of the agent's to the review, all or none: each must be on a file that has changed. */
  insert(
    request: {readonly repository: string; readonly base: string; readonly comments: readonly NewComment[]},
    signal: AbortSignal,
  ): Promise<Outcome<readonly ReviewComment[], Fault>>;
  /** Shows the review to the user, once nothing else has the screen. */
  show(range: string): void;
}
