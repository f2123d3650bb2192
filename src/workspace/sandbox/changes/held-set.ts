import type {Change} from '../../../domain/change-set.ts';
import type {LayerEntry, LockedFolder, NewFolder} from './scan-layer.ts';
import type {PathBytes} from './path-bytes.ts';

/** The workspace of a change set, and the folder in which weft stores change sets. */
export interface ChangesContext {
  /** The workspace folders, all links resolved. Paths are relative to the first. */
  readonly roots: readonly [string, ...string[]];
  /** Whether a path below a root is protected by its name alone. */
  readonly isProtected: (belowRoot: string) => boolean;
  /** Whether this is the name of a file with secrets. Users write such files by hand, and git has no copy. */
  readonly isSecret: (name: string) => boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** weft's own folder for the journals of applies and for kept change sets. Created when needed, private to the user. */
  readonly folder: string;
}

/** A change with everything needed to apply it. */
export interface HeldEntry extends LayerEntry {
  readonly change: Change;
  /** The index of the change's layer. */
  readonly layer: number;
}

interface InLayer {
  readonly layer: number;
}

/** The changes of a command. It is JSON: a journal or a kept change set consists of it and the upper folders. */
export interface HeldSet {
  readonly layers: readonly {readonly lower: string; readonly upper: string}[];
  /** Sorted by path. */
  readonly entries: readonly HeldEntry[];
  readonly newFolders: readonly (NewFolder & InLayer)[];
  readonly lockedFolders: readonly (LockedFolder & InLayer)[];
  /** Folders that the view no longer has, the innermost first. */
  readonly goneFolders: readonly ({readonly at: PathBytes} & InLayer)[];
}
