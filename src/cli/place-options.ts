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

/** As commander takes them. */
export const fileFlags = {
  user: ['--user', 'your own settings (without a flag: these)'],
  project: ['--project', 'the settings of the folder, for everybody: .weft/settings.json'],
  local: ['--local', 'the settings of the folder, for you: .weft/settings.local.json'],
} as const satisfies Record<Exclude<keyof InFile, keyof InFolder>, readonly [flag: string, description: string]>;
