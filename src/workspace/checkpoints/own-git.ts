import {execFile} from 'node:child_process';
import {whenStuck} from '../ignore-files.ts';
import {guardedEnvironment} from '../shell-environment.ts';
import {isGitReady} from './git-waits.ts';

/** Milliseconds git may take. */
const limitMs = 10_000;

/** Bytes that are taken from git. */
const mostOutput = 64 * 1024 * 1024;

/** Folders in which git did not answer in time: it is not waited for there again. */
const unanswered = new Set<string>();

/**
 * What git says about the repository that a folder lies in; `undefined` where it fails or does not answer. It writes nothing and
 * runs nothing of the repository's.
 */
export async function askGit(
  words: readonly string[],
  {
    folder,
    environment,
    signal,
  }: {readonly folder: string; readonly environment: NodeJS.ProcessEnv; readonly signal: AbortSignal},
): Promise<string | undefined> {
  if (unanswered.has(folder) || !isGitReady(folder)) return undefined;
  using stuck = whenStuck(folder, new Set());
  const options = {
    cwd: folder,
    env: gitEnvironment(environment, folder),
    signal: AbortSignal.any([signal, stuck.signal]),
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: mostOutput,
  } as const;
  return await new Promise((resolve, reject) => {
    execFile('git', ['--no-optional-locks', '--no-pager', ...words], options, (error, text) => {
      if (signal.aborted) reject(signal.reason);
      else {
        if (error?.killed === true || stuck.signal.aborted) unanswered.add(folder);
        resolve(error === null ? text : undefined);
      }
    });
  });
}

/**
 * The user's variables, without those that name another repository than the one of the folder (a hook of git's that starts weft
 * leaves them), and with all off that a repository's settings could have run.
 */
export function gitEnvironment(environment: NodeJS.ProcessEnv, folder: string): Record<string, string> {
  const own = Object.entries(environment).filter(([name]) => !ofOneRepository.has(name));
  return {
    ...guardedEnvironment(Object.fromEntries(own), [folder]),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // What a partial clone has not fetched is not fetched now.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    // A content is wanted under its own name.
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

/** What `git rev-parse --local-env-vars` lists, settings left out, and what changes how it finds a repository. */
const ofOneRepository: ReadonlySet<string> = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_OBJECT_DIRECTORY',
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_GRAFT_FILE',
  'GIT_INDEX_FILE',
  'GIT_INDEX_VERSION',
  'GIT_REPLACE_REF_BASE',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_QUARANTINE_PATH',
  'GIT_LITERAL_PATHSPECS',
  'GIT_GLOB_PATHSPECS',
  'GIT_NOGLOB_PATHSPECS',
  'GIT_ICASE_PATHSPECS',
]);
