import {runGitQuery} from '../checkpoints/git-query.ts';
import {restrictedEnvironment} from '../exec/shell-environment.ts';
import type {ImpactContext} from './impact.ts';

/** Bytes of output that are looked at. */
const mostOutput = 8 * 1024 * 1024;

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
    maxBuffer: mostOutput,
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
