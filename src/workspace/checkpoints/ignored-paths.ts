import {join} from 'node:path';
import {askGit} from './own-git.ts';

/** What a repository ignores and does not track. Absolute paths. */
export interface IgnoredPaths {
  readonly files: ReadonlySet<string>;
  /** Ignored as a whole: nothing below is named. */
  readonly folders: ReadonlySet<string>;
}

/**
 * Asks git, which writes nothing and runs nothing of the repository's; `undefined` outside of repositories, without git and where
 * git does not answer.
 */
export async function ignoredPaths(
  folder: string,
  {environment, signal}: {readonly environment: NodeJS.ProcessEnv; readonly signal: AbortSignal},
): Promise<IgnoredPaths | undefined> {
  const words = ['--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const text = await askGit(['-c', 'core.untrackedCache=false', 'ls-files', ...words], {folder, environment, signal});
  if (text === undefined) return undefined;
  const names = text.split('\0').filter(name => name !== '');
  return {
    files: new Set(names.filter(name => !isFolder(name)).map(name => join(folder, name))),
    folders: new Set(names.filter(isFolder).map(name => join(folder, name.slice(0, -1)))),
  };
}

const isFolder = (name: string): boolean => name.endsWith('/');
