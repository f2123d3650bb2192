import {execFile} from 'node:child_process';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {gitEnvironment} from '../checkpoints/git-query.ts';

/** Milliseconds that git may take, and bytes that are taken from it. */
const limitMs = 120_000;
const mostOutput = 256 * 1024 * 1024;

/**
 * Runs a git command that may write into the repository of a folder, and none of the programs that the repository's settings name. The
 * error is what git says.
 */
export async function runGit(
  words: readonly string[],
  {
    folder,
    environment,
    signal,
  }: {readonly folder: string; readonly environment: NodeJS.ProcessEnv; readonly signal: AbortSignal},
): Promise<Outcome<string, string>> {
  const options = {
    cwd: folder,
    env: gitEnvironment(environment, folder),
    signal,
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: mostOutput,
  } as const;
  return new Promise(answer => {
    execFile('git', ['--no-pager', ...words], options, (error, stdout, stderr) => {
      if (error === null) answer(ok(stdout));
      else if (error.code === 'ENOENT') answer(failed('git is not installed'));
      else if (error.killed === true) answer(failed('git took too long'));
      else answer(failed(stderr.trim().replace(/^(?:fatal|error): /u, '') || error.message));
    });
  });
}
