/** A condition on which the judge lets an action run. The executor of the action discharges each one. */
export type Obligation =
  /** The command runs in the `restricted` environment (see `CommandEnvironment`). */
  | {readonly kind: 'restricted-environment'}
  /** The command runs in a proven sandbox. `outside`: it runs outside the configured sandbox, because the settings exclude the command. */
  | {readonly kind: 'confined'; readonly to: 'sandbox' | 'read-only' | 'outside'}
  | {readonly kind: 'directory'; readonly path: string}
  /** Each path is opened at the target that the judge saw. `links`: the paths that lead through a symbolic link of the workspace. */
  | {readonly kind: 'paths'; readonly paths: readonly JudgedPath[]; readonly links: readonly string[]}
  /** The search leaves out the files that these rules forbid to read. */
  | {readonly kind: 'left-out'; readonly rules: readonly string[]};

/** A path as the action wrote it, and the absolute path that it resolved to (links followed) when it was judged. */
export interface JudgedPath {
  readonly written: string;
  readonly path: string;
  readonly place: 'inside-workspace' | 'outside-workspace';
}
