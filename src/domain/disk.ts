/** The target of a path, with symbolic links followed. */
export interface ResolvedPath {
  readonly path: string;
  readonly place: 'inside-workspace' | 'outside-workspace';
}

/** One entry of a folder. A link is not followed. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'folder' | 'link' | 'file';
}

/** A file that was read, with one character for each byte. Anything but a regular file also counts as `unreadable`. */
export type ReadBytes =
  | {readonly kind: 'text'; readonly text: string}
  | {readonly kind: 'missing'}
  | {readonly kind: 'unreadable'};

export interface RepositoryState {
  /** The number of changed and untracked files. */
  readonly changed: number | 'unknown';
  /** The subjects of the last three commits, the latest first. */
  readonly subjects: readonly string[];
}
