import {pluralize} from '../base/clip.ts';
import type {Outcome} from '../base/outcome.ts';
import type {Change, DroppedChange} from '../domain/change-set.ts';
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

/** The changes that a confined command has left in its view of the workspace. Whatever is not applied is gone once `DecideChanges` settles. */
export interface HeldChanges {
  /** In the order of their paths. */
  readonly changes: readonly Change[];
  /** The changes of these paths line by line, in the same order; a file that cannot be shown has no hunks and a note. */
  diffs(paths: readonly string[], signal: AbortSignal): Promise<readonly FileDiff[]>;
  /**
   * Applies these paths and no others. Each file is old or new at every moment; one that changed outside since the command began stays
   * as it is and is a conflict. May be called several times. `all-or-nothing` applies nothing if there is a conflict.
   */
  apply(paths: readonly string[], how: 'each' | 'all-or-nothing', signal: AbortSignal): Promise<AppliedChanges>;
  /**
   * Keeps them for `weft sandbox apply`, under the ID that it answers with, and applies nothing. They can be neither applied nor shown by
   * this afterwards. A failure says why they could not be kept.
   */
  keep(signal: AbortSignal): Promise<Outcome<string, string>>;
}

export interface AppliedChanges {
  readonly applied: readonly Change[];
  readonly dropped: readonly (DroppedChange & {readonly why: 'conflict' | 'failed' | 'interrupted' | 'protected'})[];
}

/** What became of the changes of a command. */
export interface ChangesOutcome {
  readonly applied: readonly Change[];
  readonly dropped: readonly DroppedChange[];
  /** The applied changes of the class `file`, line by line, in the order of their paths; of very many the first ones. */
  readonly diffs: readonly FileDiff[];
}

export const noHeldChanges: ChangesOutcome = {applied: [], dropped: [], diffs: []};

/**
 * Decides about the changes of one command, asks a person if necessary, and applies what may be applied. Never throws.
 */
export type DecideChanges = (held: HeldChanges, signal: AbortSignal) => Promise<ChangesOutcome>;
