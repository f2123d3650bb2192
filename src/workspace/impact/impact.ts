import {runGitQuery} from '../checkpoints/git-query.ts';
import {restrictedEnvironment} from '../exec/shell-environment.ts';
import type {FileDiff} from '../../actions/preview.ts';
import type {CommandReading, ResolvedCommand} from '../../domain/risk.ts';

/** The files and other data that one command would destroy or overwrite. */
export interface Impact {
  /** The loss, such as `deletes 3 files`; empty if nothing would be lost. */
  readonly summary: string;
  /** Absolute paths, or names that aren't paths (`stash@{0}`). At most `maxNamed`. */
  readonly paths: readonly string[];
  /** The number of affected paths that `paths` leaves out. */
  readonly more: number;
  /** How overwritten files would change, if the new content is known; paths are absolute. */
  readonly diffs: readonly FileDiff[];
}

export const emptyImpact: Impact = {summary: '', paths: [], more: 0, diffs: []};

/** The home folder for paths, and the reader of commands by the table of programs. */
export interface CommandContext {
  readonly home: string;
  readonly readCommand: (words: readonly string[]) => CommandReading;
}

export interface ImpactContext extends CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** True if git can run in a folder without running or reading what the repository chooses. */
  readonly canQueryGit: (directory: string) => boolean;
  /** Aborts at the time limit, or when the result is no longer needed. */
  readonly signal: AbortSignal;
}

export type ImpactFinder = (command: ResolvedCommand, context: ImpactContext) => Promise<Impact>;

/** The maximum number of paths to list for one command. */
export const maxNamed = 20;

/** Formats a number and its noun: `1 file`, `1,204 files`. */
export const formatCount = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? noun : plural}`;

/** Returns the first paths, and how many of the `total` paths are left out. */
export const listPaths = (paths: readonly string[], total = paths.length): Omit<Impact, 'summary'> => {
  const shown = paths.slice(0, maxNamed);
  return {paths: shown, more: Math.max(0, total - shown.length), diffs: []};
};

/** The maximum number of bytes of output to read. */
const maxOutput = 8 * 1024 * 1024;

/** Runs a read-only program and returns its output, or `undefined` if it failed. The context's signal bounds its time. */
export async function captureOutput(
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

/** Runs git, unless the repository's settings could make it run a program. Returns `undefined` if git isn't run or fails. */
export const runGit = async (
  words: readonly string[],
  {
    directory,
    context: {environment, canQueryGit, signal},
  }: {readonly directory: string; readonly context: ImpactContext},
): Promise<string | undefined> =>
  canQueryGit(directory) && !signal.aborted
    ? runGitQuery(words, {folder: directory, environment, signal}).catch(() => undefined)
    : undefined;
