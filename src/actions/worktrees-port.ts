import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {WorkspaceChanges} from './changes-port.ts';

/** A git worktree that an agent works in. Paths are absolute, with links resolved. */
export interface Worktree {
  readonly name: string;
  readonly folder: string;
  /** The directory in the worktree in which the agent works: as deep below `folder` as the original folder is in its repository. */
  readonly directory: string;
  readonly branch: string;
}

/** The changes in a worktree since it was made. Ignored files don't count. */
export interface WorktreeChanges extends WorkspaceChanges {
  /** The reasons why the worktree can't be merged without changes, by path. Includes paths that changed on both sides. */
  readonly conflicts: readonly {readonly path: string; readonly reason: string}[];
  readonly commits: number;
}

/** Git worktrees in which agents work apart from the folder that they were started in. */
export interface WorktreesPort {
  /**
   * Makes a worktree for the folder `from` with the current state of its repository: uncommitted changes and untracked
   * files, but no ignored ones. Reuses an existing worktree with this name unchanged.
   */
  open(request: {readonly from: string; readonly name: string}, signal: AbortSignal): Promise<Outcome<Worktree, Fault>>;
  changes(worktree: Worktree, signal: AbortSignal): Promise<Outcome<WorktreeChanges, Fault>>;
  /**
   * Applies all changes of the worktree to the folder it was made for, or none. If such a file has changed in that
   * folder since, returns a fault that names the file. The worktree stays. An abort no longer stops the merge once it
   * has begun to write.
   */
  merge(worktree: Worktree, signal: AbortSignal): Promise<Outcome<WorkspaceChanges, Fault>>;
  /** Marks the worktree as unused, but keeps it. */
  release(worktree: Worktree): Promise<void>;
  /**
   * Removes the worktree and everything in it. Keeps its branch if the branch has its own commits and `commits` is
   * `keep`.
   */
  drop(worktree: Worktree, commits: 'keep' | 'drop'): Promise<Outcome<undefined, Fault>>;
}

/** Returns `+3 -1` for all files together. */
export const changeCounts = ({files, more}: WorkspaceChanges): string => {
  const [added, removed] = files.reduce(([a, r], file) => [a + file.added, r + file.removed], [0, 0]);
  return more === 0 ? `+${added} -${removed}` : `more than +${added} -${removed}`;
};
