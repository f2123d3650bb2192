import {byKind} from '../base/unreachable.ts';

/** Edits as the model proposed them, and the user's changes to them before they were written. */
export interface EditRequest {
  readonly edits: readonly FileEdit[];
  readonly userChanges: UserChanges;
}

/** Paths are those of the shown diffs. A file that the user's changes leave unchanged is not part of the plan. */
export type UserChanges =
  | {readonly kind: 'none'}
  | {readonly kind: 'hunks'; readonly dropped: readonly DroppedPart[]}
  /**
   * `text` is the whole new text that the user saved in an editor. The file keeps its encoding and byte order mark. No
   * hunk of a file with such a text counts as dropped.
   */
  | {
      readonly kind: 'texts';
      readonly texts: readonly {readonly path: string; readonly text: string}[];
      readonly dropped: readonly DroppedPart[];
    };

/**
 * A part that the user left out. A number is an index into the shown `hunks` of the file. 0 in a file without hunks
 * means the whole change. `new-name`: a file that would be renamed keeps its name.
 */
export interface DroppedPart {
  readonly path: string;
  readonly hunk: number | 'new-name';
}

export const emptyUserChanges: UserChanges = {kind: 'none'};

/** Several edits of one file apply in order, each to the result of the one before. */
export type FileEdit =
  | {readonly kind: 'replace'; readonly path: string; readonly replacements: readonly Replacement[]}
  | {readonly kind: 'write'; readonly path: string; readonly content: string}
  /** Replaces whole lines by `newText`. The file must not have changed since the lines were read. */
  | {readonly kind: 'replace-lines'; readonly path: string; readonly lines: LineRange; readonly newText: string}
  | {readonly kind: 'patch'; readonly path: string; readonly hunks: readonly PatchHunk[]}
  | {readonly kind: 'delete'; readonly path: string}
  /** `to` must not exist. Missing parent folders are created. */
  | {readonly kind: 'rename'; readonly path: string; readonly to: string};

/** 1-based, both ends included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/**
 * `only` requires a single match. `every` replaces all matches, which must be exact. An empty `oldText` creates the
 * file and needs it to be absent or empty.
 */
export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly occurrence: 'only' | 'every';
}

/** A change to neighboring lines. The hunks of a patch are in the order of the file. */
export interface PatchHunk {
  /** Lines that occur before the change, in order: a class, then its method. */
  readonly context: readonly string[];
  readonly lines: readonly PatchLine[];
  readonly place: 'anywhere' | 'end-of-file';
}

export interface PatchLine {
  readonly kind: 'context' | 'added' | 'removed';
  readonly text: string;
}

/** A text that an edit puts into a file, and the text that it replaces, as far as the edit names that text. */
export interface EditText {
  readonly newText: string;
  readonly oldText: string;
}

export const editTexts = (edit: FileEdit): readonly EditText[] =>
  byKind<FileEdit, readonly EditText[]>(edit, {
    write: ({content}) => [{newText: content, oldText: ''}],
    replace: ({replacements}) => replacements,
    'replace-lines': ({newText}) => [{newText, oldText: ''}],
    patch: ({hunks}) => hunks.map(hunk => ({newText: linesOf(hunk, 'added'), oldText: linesOf(hunk, 'removed')})),
    delete: () => [],
    rename: () => [],
  });

const linesOf = ({lines}: PatchHunk, side: 'added' | 'removed'): string =>
  lines
    .filter(({kind}) => kind === 'context' || kind === side)
    .map(({text}) => text)
    .join('\n');

/** Returns the paths of the files that an edit names. A renamed file has two. */
export const editPaths = (edit: FileEdit): readonly string[] =>
  edit.kind === 'rename' ? [edit.path, edit.to] : [edit.path];
