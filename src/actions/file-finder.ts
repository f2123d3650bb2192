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
