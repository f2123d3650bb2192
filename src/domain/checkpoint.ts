import type {Brand} from '../base/brand.ts';
import type {Outcome} from '../base/outcome.ts';
import type {Fault} from './fault.ts';
import type {SimpleCommand} from './risk.ts';

/** The files of a workspace as they were at one moment: the name under which they are kept. */
export type TreeId = Brand<string, 'TreeId'>;

/** A name that nothing is kept under is found out when it is looked up. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only way into the brand
export const treeId = (raw: string): TreeId => raw as TreeId;

/** The checkpoints one session may go back to. */
export interface SessionTrees {
  /** When it was last written to, in milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly trees: readonly TreeId[];
}

/** What something did to the files. */
export interface FileChange {
  readonly before: TreeId;
  readonly after: TreeId;
}

/** `now`: how it ended was never kept, so everything since then counts as part of it. */
export interface OpenFileChange {
  readonly before: TreeId;
  readonly after: TreeId | 'now';
}

/** What taking changes back does, or did, to the files. Paths are absolute. */
export interface RevertReport {
  readonly files: readonly RevertedFile[];
  /** What was left as it is, and why. */
  readonly conflicts: readonly {readonly path: string; readonly reason: string}[];
  /** Files and folders that are not kept, so that nothing in them is taken back. */
  readonly leftOut: readonly string[];
}

export interface RevertedFile {
  readonly path: string;
  /** `merged`: taken back, and what somebody else has changed in it since stays. */
  readonly effect: 'restored' | 'deleted' | 'changed' | 'merged';
}

/** What an action names that it may change: paths, links followed, and commands that destroy. */
export interface TouchedFiles {
  readonly paths: readonly string[];
  readonly commands: readonly SimpleCommand[];
}

/** Keeps the files of the workspace, and takes back what was done to them. */
export interface CheckpointsPort {
  /**
   * Looks at files that `take` will have to read, so that it takes less time; ends at once where that begins. Changes nothing of
   * what `take` keeps. Never throws.
   */
  lookAhead(signal: AbortSignal): Promise<void>;
  /** What undo will not cover of files that are about to be touched, in words, as `data.bin (1.2 GB)`. Waits only a moment. */
  notCovered(touched: TouchedFiles, signal: AbortSignal): Promise<readonly string[]>;
  /** Keeps the files as they are now; `off` where nothing is to be kept. */
  take(signal: AbortSignal): Promise<Outcome<TreeId | 'off', Fault>>;
  /** What `revert` would do now. */
  preview(changes: readonly OpenFileChange[], signal: AbortSignal): Promise<Outcome<RevertReport, Fault>>;
  /**
   * Takes the changes back, in the given order (latest first). What somebody else has changed since is kept: merged, or left
   * as it is and named. `change` is what this did, to be taken back itself. Once it writes it goes on to the end.
   */
  revert(
    changes: readonly OpenFileChange[],
    signal: AbortSignal,
  ): Promise<Outcome<{readonly report: RevertReport; readonly change: FileChange}, Fault>>;
}
