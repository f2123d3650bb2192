import {dirname, join, resolve} from 'node:path';
import {isFolder} from './list-folder.ts';
import {readRegularFile} from './regular-files.ts';

/**
 * What git has checked out where `directory` lies: a branch, or the beginning of a commit; empty where there is no repository. It
 * reads two small files, regular ones, and starts no process.
 */
export function gitBranch(directory: string): string {
  const head = headIn(directory);
  const text = (head === undefined ? undefined : lineOf(head, /^(.*)$/su)) ?? '';
  const branch = /^ref: (?:refs\/heads\/)?(.+)$/u.exec(text)?.[1];
  return branch ?? (/^[0-9a-f]{40,64}$/u.test(text) ? text.slice(0, 8) : '');
}

/** The first line of a small regular file that matches, or its group. */
export const lineOf = (path: string, line: RegExp): string | undefined =>
  line.exec(readRegularFile(path, longestFile)?.toString('utf8') ?? '')?.[1]?.trim();

const longestFile = 4096;

/** The repository's own folder, right in `top`: a worktree and a submodule have a file in its place, which names it. */
export function gitFolderAt(top: string): string | undefined {
  const git = join(top, '.git');
  if (isFolder(git)) return git;
  const named = lineOf(git, /^gitdir: (.+)$/mu);
  return named === undefined ? undefined : resolve(top, named);
}

function headIn(directory: string): string | undefined {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    const git = gitFolderAt(folder);
    if (git !== undefined) return join(git, 'HEAD');
    if (dirname(folder) === folder) return undefined;
  }
}
