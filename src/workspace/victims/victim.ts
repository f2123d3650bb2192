import type {FileDiff} from '../../actions/preview.ts';
import type {SimpleCommand} from '../../domain/risk.ts';

/** What one command would hit. */
export interface Victim {
  /** `deletes 3 files`; empty when nothing would be hit. */
  readonly summary: string;
  /** Absolute, or a name that is no path: `stash@{0}`. Bounded. */
  readonly paths: readonly string[];
  /** How many there are beyond `paths`. */
  readonly more: number;
  /** How files that are overwritten would change, where the new content is known; paths are absolute. */
  readonly diffs: readonly FileDiff[];
}

export const untouched: Victim = {summary: '', paths: [], more: 0, diffs: []};

/** What the looking stands on. */
export interface VictimGround {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether git, asked in a folder, runs and reads nothing of the repository's choice. */
  readonly mayAskGit: (directory: string) => boolean;
  /** Fires when there is no more time, or nobody waits any more. */
  readonly signal: AbortSignal;
}

/** Looks for the victims of one program's commands. */
export type VictimFinder = (command: SimpleCommand, ground: VictimGround) => Promise<Victim>;

/** Paths named of one command. */
export const mostNamed = 20;

/** `1 file`, `1,204 files`. */
export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? noun : plural}`;

/** The first of the paths, and how many more there are of `total`. */
export const named = (paths: readonly string[], total = paths.length): Omit<Victim, 'summary'> => {
  const shown = paths.slice(0, mostNamed);
  return {paths: shown, more: Math.max(0, total - shown.length), diffs: []};
};
