import type {Outcome} from '../base/outcome.ts';
import type {DocumentBlock, ImageBlock} from '../domain/conversation.ts';
import type {ResolvedPath} from '../domain/disk.ts';
import type {Fault} from '../domain/fault.ts';
import type {EditRequest} from '../domain/file-edit.ts';
import type {JudgedPath} from '../domain/obligation.ts';
import type {DiffHunk, FileDiff} from './preview.ts';

export interface FilesPort {
  /**
   * Returns the same port, with each judged path fixed to the target that the judge saw. If a link now leads such a path
   * elsewhere, the call fails and does not touch the file.
   */
  limitedTo(paths: readonly JudgedPath[]): FilesPort;
  /**
   * Resolves a path as models and users write it (relative to the workspace, `~`), following symbolic links. A path longer than 4,096
   * characters counts as outside, and every use of it fails. Files in which weft keeps the output of commands count as inside.
   */
  resolve(path: string): ResolvedPath;
  read(request: ReadRequest, signal: AbortSignal): Promise<Outcome<ReadFile, Fault>>;
  /**
   * Works out what the edits would do. Writes nothing. Reports several faults in one message. Refuses edits of files in
   * which weft keeps the output of commands.
   */
  plan(request: EditRequest, signal: AbortSignal): Promise<Outcome<readonly FileDiff[], Fault>>;
  /**
   * Applies the edits, all or nothing, and replaces each file atomically. Keeps changes that others made in the
   * meantime if the lines to change are still those in `shown`. Writes nothing if they are not, or if `shown` does not
   * contain them all. A file that is written as a whole must be unchanged since the model read it.
   */
  apply(request: EditRequest, shown: readonly FileDiff[], signal: AbortSignal): Promise<Outcome<AppliedEdits, Fault>>;
  /** Returns the whole texts that the edits would lead to, for an editor, without binary files. Writes nothing. */
  draft(request: EditRequest, signal: AbortSignal): Promise<Outcome<readonly DraftText[], Fault>>;
}

export interface EditorFiles {
  /** Returns a file's text with unsaved changes; `undefined` if the editor can't tell. `path` is absolute. */
  read(path: string, signal: AbortSignal): Promise<string | undefined>;
}

/** The content of a file. `unreadable`: something is there, but not a readable file. */
export type Fingerprint =
  | {readonly path: string; readonly kind: 'file'; readonly sha256: string}
  | {readonly path: string; readonly kind: 'absent' | 'unreadable'};

/** The methods for reviewing an edit before it is written. They write nothing. */
export type EditPreview = Pick<FilesPort, 'plan' | 'draft'>;

/** A file's text before and after the edits. `before` is empty for a new file, and `text` is empty for a deleted one. */
export interface DraftText {
  readonly path: string;
  readonly before: string;
  readonly text: string;
}

export interface AppliedEdits {
  readonly files: readonly FileDiff[];
  /** How the written files differ from the proposal. Empty if the user changed nothing. */
  readonly userChanged: readonly UserChangedFile[];
}

/**
 * `dropped`: hunks of the proposal that were left out. `rewritten`: the difference between the proposed and the written text.
 * `not-renamed`: the file was not renamed to `path`.
 */
export interface UserChangedFile {
  readonly path: string;
  readonly kind: 'dropped' | 'rewritten' | 'not-renamed';
  readonly hunks: readonly DiffHunk[];
}

/** The maximum number of bytes of text in one answer to a model, for all its files together. */
export const answerBytes = 250_000;

/**
 * `offset` is the first line (1-based), and `limit` counts lines. The answer ends after `answerBytes` with a note about
 * this.
 */
export interface ReadRequest {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
}

export type ReadFile =
  | {
      readonly kind: 'text';
      readonly path: string;
      /** Lines without line terminators, numbered from `firstLine`. */
      readonly lines: readonly string[];
      readonly firstLine: number;
      readonly totalLines: number;
      /** Remarks for the reader, such as cut lines, the encoding or an empty file. */
      readonly notes: readonly string[];
    }
  | {readonly kind: 'image'; readonly path: string; readonly image: ImageBlock}
  /** `pages` is `undefined` if the file does not say. */
  | {
      readonly kind: 'document';
      readonly path: string;
      readonly document: DocumentBlock;
      readonly pages: number | undefined;
    }
  | {readonly kind: 'directory'; readonly path: string; readonly entries: readonly string[]; readonly more: number};

/** Images that the user puts into a prompt. */
export interface ImagePort {
  /** Reads the image at a path as people write it. Fails if its content is not an image, or is too large. */
  read(path: string, signal: AbortSignal): Promise<Outcome<ReadImage, Fault>>;
  /** Reads the image on the clipboard. A fault says why there is none and what to do. */
  fromClipboard(signal: AbortSignal): Promise<Outcome<ReadImage, Fault>>;
}

/** Size in pixels, 0 if the image does not say. */
export interface ReadImage {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly image: ImageBlock;
}

/** Finds files and folders of the workspace by some letters of their paths, for people who type. */
export interface FileFinder {
  /**
   * Finds paths that contain the letters of `query` in order. Folders end in a slash, and ignored files come last. Calls `onFound` with the
   * best paths whenever there are better ones, and at the end as `complete`. Never blocks for more than a few milliseconds.
   * Calls nothing after an abort.
   */
  find(query: string, onFound: (found: FoundFiles) => void, signal: AbortSignal): Promise<void>;
}

/** The results of a search for files so far, best first. */
export interface FoundFiles {
  readonly paths: readonly string[];
  /** `looking` while files are still being listed or compared. */
  readonly state: 'looking' | 'complete';
}
