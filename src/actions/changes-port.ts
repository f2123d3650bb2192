import {pluralize} from '../base/clip.ts';
import type {FileDiff} from './preview.ts';

/** What has changed in the workspace, as far as checkpoints hold its files. */
export interface WorkspaceChanges {
  /** In the order of their paths; of very many the first ones. */
  readonly files: readonly FileDiff[];
  /** How many more files have changed. */
  readonly more: number;
}

export const noChanges: WorkspaceChanges = {files: [], more: 0};

/** Sees what a command changes in the workspace. */
export interface ChangesPort {
  /**
   * Remembers the files as they are. What it settles with tells what has changed since. Neither throws: where no checkpoints are kept,
   * or none can be made, nothing is known to have changed.
   */
  watch(signal: AbortSignal): Promise<(signal: AbortSignal) => Promise<WorkspaceChanges>>;
}

/** Files that are named in a line. */
const mostNamed = 10;

/** `it changed a.ts (+3 -1), b.ts (+1 -0) and 4 more files`; empty where nothing changed. */
export function changesText({files, more}: WorkspaceChanges): string {
  if (files.length === 0) return '';
  const named = files.slice(0, mostNamed).map(({path, added, removed}) => `${path} (+${added} -${removed})`);
  const left = more + files.length - named.length;
  return `it changed ${named.join(', ')}${left === 0 ? '' : ` and ${pluralize(left, 'more file')}`}`;
}
