import {statSync} from 'node:fs';
import {join} from 'node:path';
import {guardedEnvironment} from '../shell-environment.ts';

/** What a repository ignores and does not track. Absolute paths. */
export interface IgnoredPaths {
  readonly files: ReadonlySet<string>;
  /** Ignored as a whole: nothing below is named. */
  readonly folders: ReadonlySet<string>;
}

/** Bytes of names that are taken from git. */
const mostNames = 64 * 1024 * 1024;

/** Milliseconds git may take. A repository can hold pipes in the place of its files, on which git would wait for ever. */
const limitMs = 10_000;

/** Folders in which git did not answer in time: it is not waited for there again. */
const unanswered = new Set<string>();

/**
 * Asks git, which writes nothing and runs nothing of the repository's; `undefined` outside of repositories, without git and where
 * git does not answer.
 */
export async function ignoredPaths(
  folder: string,
  {environment, signal}: {readonly environment: NodeJS.ProcessEnv; readonly signal: AbortSignal},
): Promise<IgnoredPaths | undefined> {
  if (unanswered.has(folder) || wouldWait(folder)) return undefined;
  const {execa} = await import('execa');
  const careful = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.untrackedCache=false'];
  const result = await execa(
    'git',
    [
      '--no-optional-locks',
      '--no-pager',
      ...careful.flatMap(setting => ['-c', setting]),
      'ls-files',
      '--others',
      '--ignored',
      '--exclude-standard',
      '--directory',
      '-z',
    ],
    {
      cwd: folder,
      env: {...guardedEnvironment(environment, [folder]), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0'},
      extendEnv: false,
      stdin: 'ignore',
      stderr: 'ignore',
      maxBuffer: mostNames,
      stripFinalNewline: false,
      reject: false,
      cancelSignal: signal,
      timeout: limitMs,
      killSignal: 'SIGKILL',
    },
  );
  if (result.timedOut) unanswered.add(folder);
  if (result.failed) return undefined;
  const names = result.stdout.split('\0').filter(name => name !== '');
  return {
    files: new Set(names.filter(name => !isFolder(name)).map(name => join(folder, name))),
    folders: new Set(names.filter(isFolder).map(name => join(folder, name.slice(0, -1)))),
  };
}

/** What git opens first of all. */
const openedFirst = ['.git/HEAD', '.git/config', '.git/index', '.git/info/exclude', '.git/packed-refs', '.gitignore'];

/** Whether something stands in the place of one of git's files that is none, such as a pipe: git would wait for it. */
const wouldWait = (folder: string): boolean =>
  openedFirst.some(name => {
    try {
      const stats = statSync(join(folder, name));
      return !stats.isFile() && !stats.isDirectory();
    } catch {
      return false;
    }
  });

const isFolder = (name: string): boolean => name.endsWith('/');
