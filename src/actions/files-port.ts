import type {Outcome} from '../base/outcome.ts';
import type {DocumentBlock, ImageBlock} from '../domain/conversation.ts';
import type {ResolvedPath} from '../domain/disk.ts';
import type {Fault} from '../domain/fault.ts';
import type {EditRequest} from '../domain/file-edit.ts';
import type {JudgedPath} from '../domain/obligation.ts';
import type {DiffHunk, FileDiff} from './preview.ts';

export interface FilesPort {
  /**
   * The same files, in which paths lead where they led when they were judged. Where a link leads one of them elsewhere by then, the
   * file is not touched and the call fails.
   */
  limitedTo(paths: readonly JudgedPath[]): FilesPort;
  /**
   * Resolves a path as models and users write it (relative to the workspace, `~`), following symbolic links. Longer than 4,096
   * characters it is outside, and every use of it is a fault. Files in which weft keeps the output of commands are inside.
   */
  resolve(path: string): ResolvedPath;
  read(request: ReadRequest, signal: AbortSignal): Promise<Outcome<ReadFile, Fault>>;
  /**
   * Works out what the edits would do; writes nothing. Several faults are reported in one message. Where weft keeps the output
   * of commands nothing is edited.
   */
  plan(request: EditRequest, signal: AbortSignal): Promise<Outcome<readonly FileDiff[], Fault>>;
  /**
   * Applies the edits, all or nothing, each file replaced atomically. What somebody else changed meanwhile stays, where the
   * lines that change are still those in `shown`; where not, or where `shown` does not hold them all, nothing is written. A file that is written as a whole must be as
   * the model read it.
   */
  apply(request: EditRequest, shown: readonly FileDiff[], signal: AbortSignal): Promise<Outcome<AppliedEdits, Fault>>;
  /** The whole texts that the edits would lead to, for an editor; nothing of binary files. Writes nothing. */
  draft(request: EditRequest, signal: AbortSignal): Promise<Outcome<readonly DraftText[], Fault>>;
}

/** What is in a file; `unreadable` where there is something that is no readable file. */
export type Fingerprint =
  | {readonly path: string; readonly kind: 'file'; readonly sha256: string}
  | {readonly path: string; readonly kind: 'absent' | 'unreadable'};

/** What whoever looks an edit over before it is written needs; it writes nothing. */
export type EditPreview = Pick<FilesPort, 'plan' | 'draft'>;

/** `before` is empty for a file that is made, `text` for one that goes. */
export interface DraftText {
  readonly path: string;
  readonly before: string;
  readonly text: string;
}

export interface AppliedEdits {
  readonly files: readonly FileDiff[];
  /** What of the proposal was not written, or not like that; empty where the user changed nothing. */
  readonly userChanged: readonly UserChangedFile[];
}

/**
 * `dropped`: hunks of the proposal that were left out. `rewritten`: the way from the proposed text to the written one.
 * `not-renamed`: the file does not become `path`.
 */
export interface UserChangedFile {
  readonly path: string;
  readonly kind: 'dropped' | 'rewritten' | 'not-renamed';
  readonly hunks: readonly DiffHunk[];
}

/** Bytes of text in one answer to a model, whatever number of files it is of. */
export const answerBytes = 250_000;

/** `offset` is the first line, 1-based; `limit` counts lines. The answer ends after `answerBytes`, and says so. */
export interface ReadRequest {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
}

export type ReadFile =
  | {
      readonly kind: 'text';
      readonly path: string;
      /** Lines without their ends, numbered from `firstLine`. */
      readonly lines: readonly string[];
      readonly firstLine: number;
      readonly totalLines: number;
      /** What the reader should know: lines that were cut, encoding, an empty file. Empty when there is nothing. */
      readonly notes: readonly string[];
    }
  | {readonly kind: 'image'; readonly path: string; readonly image: ImageBlock}
  /** `pages` is `undefined` where the file does not tell. */
  | {
      readonly kind: 'document';
      readonly path: string;
      readonly document: DocumentBlock;
      readonly pages: number | undefined;
    }
  | {readonly kind: 'directory'; readonly path: string; readonly entries: readonly string[]; readonly more: number};

/** Images that the user puts into a prompt. */
export interface ImagePort {
  /** Reads the image at a path as people write it; what is no image (by its content), or too large, is a fault. */
  read(path: string, signal: AbortSignal): Promise<Outcome<ReadImage, Fault>>;
  /** The image on the clipboard; a fault says why there is none, and what to do. */
  fromClipboard(signal: AbortSignal): Promise<Outcome<ReadImage, Fault>>;
}

/** Size in pixels, 0 where the image does not tell. */
export interface ReadImage {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly image: ImageBlock;
}

/** Finds files and folders of the workspace by some letters of their paths, for people who type. */
export interface FileFinder {
  /**
   * Looks for paths that hold the letters of `query` in their order; folders end in a slash, ignored files come behind all
   * others. Tells the best whenever there are better ones, lastly as `complete`. Blocks nobody for more than a few
   * milliseconds. After an abort nothing is told any more.
   */
  find(query: string, tell: (found: FoundFiles) => void, signal: AbortSignal): Promise<void>;
}

/** What a search for files has found so far, best first. */
export interface FoundFiles {
  readonly paths: readonly string[];
  /** `looking` while the files are still being listed or compared. */
  readonly state: 'looking' | 'complete';
}
