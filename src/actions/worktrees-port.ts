import {failed, type Outcome} from '../base/outcome.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import type {WorkspaceChanges} from './changes-port.ts';

/** A git worktree that an agent works in. Paths are absolute, with links followed. */
export interface Worktree {
  readonly name: string;
  readonly folder: string;
  /** Where the agent works in it: as deep below `folder` as the folder that it stands for lies in its repository. */
  readonly directory: string;
  readonly branch: string;
}

/** What differs in a worktree from what it began with. Ignored files do not count. */
export interface WorktreeChanges extends WorkspaceChanges {
  /** Why it cannot be merged as it is, by path. A path that changed on both sides is one of them. */
  readonly conflicts: readonly {readonly path: string; readonly reason: string}[];
  readonly commits: number;
}

/** Git worktrees in which agents work apart from the folder that they were started in. */
export interface WorktreesPort {
  /**
   * Makes a worktree for the folder `from`, with all that is in its repository now: changes that are not committed and untracked files,
   * and no ignored ones. One of that name that is there is gone on with, as it is.
   */
  open(request: {readonly from: string; readonly name: string}, signal: AbortSignal): Promise<Outcome<Worktree, Fault>>;
  changes(worktree: Worktree, signal: AbortSignal): Promise<Outcome<WorktreeChanges, Fault>>;
  /**
   * Gives the folder that the worktree was made for all its changes, or none: a file that has changed there since is a fault that names it.
   * The worktree stays. An abort no longer stops it once it has begun to write.
   */
  merge(worktree: Worktree, signal: AbortSignal): Promise<Outcome<WorkspaceChanges, Fault>>;
  /** Nobody works in it any more, and it stays. */
  release(worktree: Worktree): Promise<void>;
  /** Removes the worktree with all that is in it. Its branch stays where it has commits of its own and `commits` says so. */
  drop(worktree: Worktree, commits: 'keep' | 'drop'): Promise<Outcome<undefined, Fault>>;
}

const none = failed(rejected('There are no worktrees here.'));

export const noWorktrees: WorktreesPort = {
  open: async () => none,
  changes: async () => none,
  merge: async () => none,
  release: async () => {},
  drop: async () => none,
};

/** `+3 -1` for all files together. */
export const changeCounts = ({files, more}: WorkspaceChanges): string => {
  const [added, removed] = files.reduce(([a, r], file) => [a + file.added, r + file.removed], [0, 0]);
  return more === 0 ? `+${added} -${removed}` : `more than +${added} -${removed}`;
};
