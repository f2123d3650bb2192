import {join} from 'node:path';

/** What a repository ignores and does not track. Absolute paths. */
export interface IgnoredPaths {
  readonly files: ReadonlySet<string>;
  /** Ignored as a whole: nothing below is named. */
  readonly folders: ReadonlySet<string>;
}

/** Bytes of names that are taken from git. */
const mostNames = 64 * 1024 * 1024;

/** Asks git, which writes nothing and runs nothing of the repository's; `undefined` outside of repositories and without git. */
export async function ignoredPaths(
  folder: string,
  {environment, signal}: {readonly environment: NodeJS.ProcessEnv; readonly signal: AbortSignal},
): Promise<IgnoredPaths | undefined> {
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
      env: {...environment, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0'},
      extendEnv: false,
      stdin: 'ignore',
      stderr: 'ignore',
      maxBuffer: mostNames,
      stripFinalNewline: false,
      reject: false,
      cancelSignal: signal,
      killSignal: 'SIGKILL',
    },
  );
  if (result.failed) return undefined;
  const names = result.stdout.split('\0').filter(name => name !== '');
  return {
    files: new Set(names.filter(name => !isFolder(name)).map(name => join(folder, name))),
    folders: new Set(names.filter(isFolder).map(name => join(folder, name.slice(0, -1)))),
  };
}

const isFolder = (name: string): boolean => name.endsWith('/');
