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
    env: {
      ...restrictedEnvironment(environment, [run.directory]),
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_PAGER: 'cat',
    },
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

/**
 * Git, with everything off that would let a repository's settings run something or would write; `undefined` too where they could
 * all the same.
 */
export const runGit = async (
  words: readonly string[],
  {directory, context}: {readonly directory: string; readonly context: ImpactContext},
): Promise<string | undefined> =>
  context.mayAskGit(directory)
    ? runQuietly({program: 'git', words: [...careful, ...words], directory}, context)
    : undefined;

const careful: readonly string[] = [
  '--no-optional-locks',
  '--no-pager',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.quotePath=false', 'core.pager=cat'].flatMap(setting => [
    '-c',
    setting,
  ]),
  ...[
    'diff.external=',
    'status.showUntrackedFiles=all',
    'status.relativePaths=false',
    'core.untrackedCache=false',
  ].flatMap(setting => ['-c', setting]),
  ...['submodule.recurse=false', 'diff.ignoreSubmodules=all', 'status.renames=false'].flatMap(setting => [
    '-c',
    setting,
  ]),
];
