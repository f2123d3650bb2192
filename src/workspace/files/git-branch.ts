import {dirname, join, resolve} from 'node:path';
import {isFile, isFolder} from './list-folder.ts';
import {readRegularFile} from './regular-files.ts';

/**
 * Returns what git has checked out in `directory`: a branch, or the beginning of a commit; empty outside a repository. Reads two small
 * regular files and starts no process.
 */
export function gitBranch(directory: string): string {
  const git = gitFolderAround(directory);
  const text = (git === undefined ? undefined : firstMatchIn(join(git, 'HEAD'), /^(.*)$/su)) ?? '';
  const branch = /^ref: (?:refs\/heads\/)?(.+)$/u.exec(text)?.[1];
  return branch ?? (/^[0-9a-f]{40,64}$/u.test(text) ? text.slice(0, 8) : '');
}

/** Returns the page of the repository's `origin` at GitHub. Empty if it is elsewhere or has characters that no such address has. */
export function githubPage(directory: string): string {
  const git = gitFolderAround(directory);
  if (git === undefined) return '';
  const config = join(commonGitFolder(git), 'config');
  const origin = firstMatchIn(config, /^\[remote "origin"\][^[]*?^\s*url\s*=\s*(.+)$/mu) ?? '';
  const name =
    /^(?:https:\/\/github\.com\/|git@github\.com:|ssh:\/\/git@github\.com\/)([\w-]+\/[\w.-]+?)(?:\.git)?\/?$/u.exec(
      origin,
    )?.[1];
  return name === undefined ? '' : `https://github.com/${name}`;
}

/** Returns the first group of the first match in a small regular file. */
export const firstMatchIn = (path: string, line: RegExp): string | undefined =>
  line.exec(readRegularFile(path, maxFileBytes)?.toString('utf8') ?? '')?.[1]?.trim();

const maxFileBytes = 4096;

/** Returns the repository's `.git` folder for its top folder. In a worktree or submodule `.git` is a file that names the folder. */
export function gitFolderAt(top: string): string | undefined {
  const git = join(top, '.git');
  if (isFolder(git)) return git;
  const named = isFile(git) ? firstMatchIn(git, /^gitdir: (.+)$/mu) : undefined;
  return named === undefined ? undefined : resolve(top, named);
}

/** Returns the folder that all worktrees of a repository share: the folder itself unless it belongs to a worktree. */
export const commonGitFolder = (git: string): string =>
  resolve(git, firstMatchIn(join(git, 'commondir'), /^(.+)$/mu) ?? '.');

/** Returns the `.git` folder of the repository that a folder is in. */
export function gitFolderAround(directory: string): string | undefined {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    const git = gitFolderAt(folder);
    if (git !== undefined) return git;
    if (dirname(folder) === folder) return undefined;
  }
}
