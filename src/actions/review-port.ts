import type {Outcome} from '../base/outcome.ts';
import type {OpenTreeChange, RevertReport, TreeId} from '../domain/checkpoint.ts';
import type {NewComment, ReviewComment} from '../domain/code-review.ts';
import type {Fault} from '../domain/fault.ts';
import type {Receipt} from '../domain/receipt.ts';
import type {FileDiff} from './preview.ts';

export interface ChangedFiles {
  readonly files: readonly FileDiff[];
  /** The number of changed files beyond those in `files`. */
  readonly more: number;
}

export interface ReviewDiff extends ChangedFiles {
  /** The folder of the repository. Paths of files are relative to it. */
  readonly root: string;
  /** The compared revisions, in words: `working tree against HEAD`. */
  readonly title: string;
}

export interface ComparedFiles extends ChangedFiles {
  /** `named files`: the checkpoints have only files that the changes named, so nothing is known of others. */
  readonly coverage: RevertReport['coverage'];
}

/** Compares the states of files that checkpoints hold. */
export interface ComparisonPort {
  /** Returns the state of the files now, to compare with later ones. */
  stateNow(signal: AbortSignal): Promise<Outcome<TreeId, Fault>>;
  /** Returns the files that these changes left different, with absolute paths. The changes are in order, oldest first. */
  compare(changes: readonly OpenTreeChange[], signal: AbortSignal): Promise<Outcome<ComparedFiles, Fault>>;
  /**
   * Returns for each receipt whether the files that its check depends on are as they were after the run. Ignored files don't count.
   * False if that is not known. `now`: the files as they are, or a tree that was just taken.
   */
  unchangedSince(
    receipts: readonly Pick<Receipt, 'tree' | 'paths'>[],
    now: TreeId | 'now',
    signal: AbortSignal,
  ): Promise<Outcome<readonly boolean[], Fault>>;
}

/** Reads changes from git. Writes nothing, and runs no program that the repository configures. */
export interface ReviewSourcePort {
  /**
   * `range` is what people write: empty (the working tree against its last commit), a branch or commit (changes since
   * the common ancestor), or two of them separated by dots. `repository` is a path in it; empty for the workspace.
   */
  read(
    request: {readonly repository: string; readonly range: string},
    signal: AbortSignal,
  ): Promise<Outcome<ReviewDiff, Fault>>;
}

export interface ReviewPort {
  /** Adds comments of the agent to the review, all or none. Each must be on a changed file. */
  insert(
    request: {readonly repository: string; readonly base: string; readonly comments: readonly NewComment[]},
    signal: AbortSignal,
  ): Promise<Outcome<readonly ReviewComment[], Fault>>;
  /** Shows the review to the user once the screen is free. */
  show(range: string): void;
}
