import {execFile} from 'node:child_process';
import {setTimeout as pause} from 'node:timers/promises';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {gitEnvironment} from '../checkpoints/git-query.ts';

/** Milliseconds that git may take, and bytes that are taken from it. */
const limitMs = 120_000;
const mostOutput = 256 * 1024 * 1024;

/** How git fails while another git makes a worktree of the same repository, how often weft tries again, and after how many milliseconds. */
const halfMade = /failed to read .*worktrees.*commondir/u;
const tries = 40;
const waitMs = 25;

/**
 * Runs a git command that may write into the repository of a folder, and none of the programs that the repository's settings name. The
 * error is what git says.
 */
export async function runGit(words: readonly string[], place: GitPlace): Promise<Outcome<string, string>> {
  for (let turn = 1; ; turn += 1) {
    const done = await runOnce(words, place);
    if (done.tag === 'ok' || turn === tries || place.signal.aborted || !halfMade.test(done.error)) return done;
    await pause(waitMs);
  }
}

interface GitPlace {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

function runOnce(words: readonly string[], {folder, environment, signal}: GitPlace): Promise<Outcome<string, string>> {
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
