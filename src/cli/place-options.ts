/** Flags that several commands take, as commander hands them over. */
export interface JsonOption {
  readonly json?: true;
}

export interface InFolder {
  readonly cwd?: string;
}

/** Which settings file is meant; the user's where none is named. */
export interface InFile extends InFolder {
  readonly user?: true;
  readonly project?: true;
  readonly local?: true;
}
