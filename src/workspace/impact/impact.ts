import {runGitQuery} from '../checkpoints/git-query.ts';
import {restrictedEnvironment} from '../exec/shell-environment.ts';
import type {FileDiff} from '../../actions/preview.ts';
import type {CommandReading, ResolvedCommand} from '../../domain/risk.ts';

/** What one command would destroy or overwrite. */
export interface Impact {
  /** For example `deletes 3 files`; empty if nothing would be lost. */
  readonly summary: string;
  /** Absolute paths, or names that are no paths (`stash@{0}`). At most `maxNamed`. */
  readonly paths: readonly string[];
  /** How many more there are than `paths` names. */
  readonly more: number;
  /** How files that are overwritten would change, where the new content is known; paths are absolute. */
  readonly diffs: readonly FileDiff[];
}

export const noLoss: Impact = {summary: '', paths: [], more: 0, diffs: []};

/** Where words are paths, and what reads commands by the table of programs. */
export interface CommandPlace {
  readonly home: string;
  readonly readingOf: (words: readonly string[]) => CommandReading;
}

/** What finding an impact needs. */
export interface ImpactContext extends CommandPlace {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether git can be asked in a folder without running or reading what the repository chooses. */
  readonly mayAskGit: (directory: string) => boolean;
  /** Aborts at the time limit, or when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** Finds the impact of one program's commands. */
export type ImpactFinder = (command: ResolvedCommand, context: ImpactContext) => Promise<Impact>;

/** Paths named of one command. */
export const maxNamed = 20;

/** `1 file`, `1,204 files`. */
export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? noun : plural}`;

/** The first of the paths, and how many more there are of `total`. */
export const named = (paths: readonly string[], total = paths.length): Omit<Impact, 'summary'> => {
  const shown = paths.slice(0, maxNamed);
  return {paths: shown, more: Math.max(0, total - shown.length), diffs: []};
};

/** Bytes of output that are looked at. */
const maxOutput = 8 * 1024 * 1024;

/**
 * Runs a program that only looks, and answers with what it printed; `undefined` where it failed. Its time is bounded by the
 * context's signal.
 */
export async function runQuietly(
  run: {readonly program: string; readonly words: readonly string[]; readonly directory: string},
  {environment, signal}: ImpactContext,
): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const {execa} = await import('execa');
  const result = await execa(run.program, run.words, {
    cwd: run.directory,
    env: {...restrictedEnvironment(environment, [run.directory]), LC_ALL: 'C'},
    extendEnv: false,
    stdin: 'ignore',
    stderr: 'ignore',
    maxBuffer: maxOutput,
    stripFinalNewline: false,
    reject: false,
    cancelSignal: signal,
    killSignal: 'SIGKILL',
  });
  return result.exitCode === 0 || result.isMaxBuffer ? result.stdout : undefined;
}

/** Asks git, unless the repository's settings could have it run a program. `undefined` if git is not asked or fails. */
export const runGit = async (
  words: readonly string[],
  {directory, context: {environment, mayAskGit, signal}}: {readonly directory: string; readonly context: ImpactContext},
): Promise<string | undefined> =>
  mayAskGit(directory) && !signal.aborted
    ? runGitQuery(words, {folder: directory, environment, signal}).catch(() => undefined)
    : undefined;
