/** The target of a path, with symbolic links followed. */
export interface ResolvedPath {
  readonly path: string;
  readonly place: 'inside-workspace' | 'outside-workspace';
}

/** One name in a folder, as it stands there: a link is not followed. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'folder' | 'link' | 'file';
}

/** A file that was read: its bytes as characters, one each. `unreadable` also stands for anything but a regular file. */
export type ReadBytes =
  | {readonly kind: 'text'; readonly text: string}
  | {readonly kind: 'missing'}
  | {readonly kind: 'unreadable'};
