import {setTimeout as pause} from 'node:timers/promises';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {gitEnvironment, type GitContext} from '../exec/git-environment.ts';
import {runProgram} from '../run-program.ts';

/** The time limit of git in milliseconds, and the maximum amount of output in bytes. */
const limitMs = 120_000;
const maxOutput = 256 * 1024 * 1024;

/** The error of git while another git makes a worktree of the same repository; the number of attempts; milliseconds between them. */
const concurrentWorktreeError = /failed to read .*worktrees.*commondir/u;
const maxAttempts = 40;
const waitMs = 25;

/**
 * Runs a git command that may write to a folder's repository. `input` is for its stdin. Runs no program that the
 * repository's settings name. The error is git's own message.
 */
export async function runGit(
  words: readonly string[],
  place: GitContext & {readonly input?: string},
): Promise<Outcome<string, string>> {
  for (let attempt = 1; ; attempt += 1) {
    const done = await runOnce(words, place);
    if (
      done.tag === 'ok' ||
      attempt === maxAttempts ||
      place.signal.aborted ||
      !concurrentWorktreeError.test(done.error)
    )
      return done;
    await pause(waitMs);
  }
}

async function runOnce(
  words: readonly string[],
  {folder, environment, input = '', signal}: Parameters<typeof runGit>[1],
): Promise<Outcome<string, string>> {
  const run = {folder, environment: gitEnvironment(environment, folder), input, limitMs, maxOutput};
  const {kind, code, output, stderr, message} = await runProgram('git', ['--no-pager', ...words], run, signal);
  if (code === 0) return ok(output.toString('utf8'));
  if (kind === 'not-started') return failed('git is not installed');
  if (kind === 'too-slow') return failed('git took too long');
  return failed(stderr.trim().replace(/^(?:fatal|error): /u, '') || message);
}
