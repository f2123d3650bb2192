import {join} from 'node:path';
import type {Change} from '../../../domain/change-set.ts';
import type {LayerEntry, LockedFolder, NewFolder} from './scan-layer.ts';
import type {PathBytes} from './path-bytes.ts';

/** The workspace of a change set, and the folder where weft keeps change sets. */
export interface ChangesPlace {
  /** The workspace folders, all links resolved. Paths are named relative to the first. */
  readonly roots: readonly [string, ...string[]];
  /** Whether a path below a root is protected by its names alone. */
  readonly isProtected: (belowRoot: string) => boolean;
  /** Tests for the name of a file with secrets. People write such a file by hand, and git has no copy of it. */
  readonly isSecret: (name: string) => boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** weft's own folder for journals of applies and for kept change sets; made when it is needed, private to the user. */
  readonly folder: string;
}

/** The folder for changes in weft's data folder. */
export const changesFolder = (data: string): string => join(data, 'changes');

/** The journals of applies, in the folder for changes. */
export const journalsIn = (folder: string): string => join(folder, 'applying');

/** A change with all that is needed to apply it. */
export interface HeldEntry extends LayerEntry {
  readonly change: Change;
  /** Its layer, by number. */
  readonly layer: number;
}

/** A folder of one of the layers. */
interface OfLayer {
  readonly layer: number;
}

/** The changes of a command. It is JSON: a journal and a kept change set are this and the upper folders. */
export interface HeldSet {
  readonly layers: readonly {readonly lower: string; readonly upper: string}[];
  /** In the order of their paths. */
  readonly entries: readonly HeldEntry[];
  readonly newFolders: readonly (NewFolder & OfLayer)[];
  readonly lockedFolders: readonly (LockedFolder & OfLayer)[];
  /** Folders that the view has no more, the innermost first. */
  readonly goneFolders: readonly ({readonly at: PathBytes} & OfLayer)[];
}
