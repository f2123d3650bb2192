import type {Brand} from '../base/brand.ts';
import type {Outcome} from '../base/outcome.ts';
import type {Fault} from './fault.ts';
import type {ResolvedCommand} from './risk.ts';

/** Names the stored state of a workspace's files at one moment. */
export type TreeId = Brand<string, 'TreeId'>;

/** Takes any text as a tree id. Does not check that a tree with this id exists. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only way into the brand
export const treeId = (raw: string): TreeId => raw as TreeId;

export interface SessionCheckpoints {
  /** When the session was last written to, in milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly trees: readonly TreeId[];
}

/** The states of the workspace's files before and after a change. */
export interface TreeChange {
  readonly before: TreeId;
  readonly after: TreeId;
}

/** A change whose end may be missing. `now`: no state was stored after the change, so everything since `before` counts as part of it. */
export interface OpenTreeChange {
  readonly before: TreeId;
  readonly after: TreeId | 'now';
  /**
   * Trees of later moments, in order. A tree of named files covers only these, so each path is as the first tree that
   * covers it says. A path that no tree covers afterwards is as it is now.
   */
  readonly more?: {readonly before: readonly TreeId[]; readonly after: readonly TreeId[]};
  /** The trees after the previous change of the same prompt. Someone else changed the files between them and `before`. */
  readonly since?: readonly TreeId[];
  /** The changes of other sessions during this one. */
  readonly others?: readonly OtherChange[];
}

/** Returns the trees before a change, in order. */
export const beforeTrees = ({before, more}: OpenTreeChange): readonly TreeId[] => [before, ...(more?.before ?? [])];

/** Returns the trees after a change, in order. */
export const afterTrees = ({after, more}: OpenTreeChange): readonly TreeId[] => [
  ...(after === 'now' ? [] : [after]),
  ...(more?.after ?? []),
];

export interface OtherChange {
  readonly title: string;
  readonly change: OpenTreeChange;
  /** True if it took less time. If both sessions may have changed any file, the shorter change counts. */
  readonly isShorter: boolean;
}

/** A change of a session, and those of other sessions at that time. `now`: the end of the change was not stored. */
export interface ChangesDuring {
  readonly during: Pick<OpenTreeChange, 'before' | 'after'>;
  readonly others: readonly OtherChange[];
}

/** The paths that a change may affect. Paths are absolute. `any`: anything in the workspace. */
export type ChangeExtent = readonly string[] | 'any';

/** The effect of reverting changes on the files, before or after the revert. Paths are absolute. */
export interface RevertReport {
  readonly files: readonly RevertedFile[];
  /** The files that are left unchanged, and why. */
  readonly conflicts: readonly {readonly path: string; readonly reason: string}[];
  /** Files and folders that checkpoints do not store, so that nothing in them is reverted. */
  readonly excluded: readonly string[];
  /** `named files`: the checkpoints cover only files that the reverted prompts named, so other files that other programs changed are not among them. */
  readonly coverage: 'all files' | 'named files';
  /** The number of conflicts that only appeared when the files were written, such as a full disk. The same revert can be repeated. */
  readonly failures?: number;
  /** The titles of other sessions that may have changed some of the files, too. */
  readonly alongside?: readonly string[];
}

/** The place in a session's journal that will record a revert: the number of records before it. */
export interface RevertMark {
  readonly session: string;
  readonly records: number;
  readonly kind: 'rewind' | 'redo';
}

/** A revert that was taken back because weft was killed before its session recorded it. */
export type TakenBack = RevertMark & Pick<RevertReport, 'files' | 'conflicts'>;

export interface RevertedFile {
  readonly path: string;
  /** `merged`: the change was reverted, and later changes by others in the same file were kept. */
  readonly effect: 'restored' | 'deleted' | 'changed' | 'merged';
  /** The number of other names (hard links) of the file, perhaps outside of the workspace, that get the same content. */
  readonly otherNames?: number;
}

/** The files that an action may change: the paths that it names, with links followed, and its destructive commands. */
export interface TouchedFiles {
  readonly paths: readonly string[];
  readonly commands: readonly ResolvedCommand[];
  /** True if the action changes nothing but `paths`. Checkpoints of named files leave out less. */
  readonly isNamed: boolean;
}

export interface CheckpointsPort {
  /**
   * Reads files in advance, so that the next `take` is faster. Ends at once when a `take` begins. It does not change
   * what `take` stores. Never throws.
   */
  prefetch(signal: AbortSignal): Promise<void>;
  /** Returns the touched files that undo will not cover, as texts such as `data.bin (1.2 GB)`. Always returns within a moment. */
  uncoveredFiles(touched: TouchedFiles, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Stores the state of the files now; `off` if checkpoints are disabled. With paths, the cost does not depend on the
   * size of the workspace: the tree covers only these paths. `notice` gets a sentence about files that are left out
   * because all files together are too large.
   */
  take(
    this: void,
    signal: AbortSignal,
    extent?: ChangeExtent,
    notice?: (text: string) => void,
  ): Promise<Outcome<TreeId | 'off', Fault>>;
  /** Stores the state of the files for a step of a call, if `take` does not: sub-agents have no checkpoints of their own. */
  readonly takeStep?: CheckpointsPort['take'];
  preview(changes: readonly OpenTreeChange[], signal: AbortSignal): Promise<Outcome<RevertReport, Fault>>;
  /**
   * Reverts the changes, in the given order (latest first). Later changes by others are preserved: they are merged, or
   * the file is left unchanged and reported as a conflict. `change` is what this call did, so that it can be reverted
   * itself. An abort does not stop it once it has begun to write. With a mark, the next weft takes a killed revert back until
   * `recorded` is called.
   */
  revert(
    changes: readonly OpenTreeChange[],
    signal: AbortSignal,
    mark?: RevertMark,
  ): Promise<
    Outcome<{readonly report: RevertReport; readonly change: TreeChange; readonly recorded?: () => void}, Fault>
  >;
}
