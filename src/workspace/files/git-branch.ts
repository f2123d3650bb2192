import {statSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {readRegularFile} from './regular-files.ts';

/**
 * What git has checked out where `directory` lies: a branch, or the beginning of a commit; empty where there is no repository. It
 * reads two small files, regular ones, and starts no process.
 */
export function gitBranch(directory: string): string {
  try {
    const head = headIn(directory);
    if (head === undefined) return '';
    const text = readRegularFile(head, longestHead)?.toString('utf8').trim() ?? '';
    const branch = /^ref: (?:refs\/heads\/)?(.+)$/u.exec(text)?.[1];
    return branch ?? (/^[0-9a-f]{40,64}$/u.test(text) ? text.slice(0, 8) : '');
  } catch {
    return '';
  }
}

const longestHead = 1000;

/** A worktree and a submodule have a file in the folder's place, which names it. */
function headIn(directory: string): string | undefined {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    const git = join(folder, '.git');
    const found = statSync(git, {throwIfNoEntry: false});
    if (found?.isDirectory() === true) return join(git, 'HEAD');
    if (found?.isFile() === true) {
      const named = /^gitdir: (.+)$/mu.exec(readRegularFile(git, longestHead)?.toString('utf8') ?? '')?.[1];
      if (named !== undefined) return join(resolve(folder, named.trim()), 'HEAD');
    }
    if (dirname(folder) === folder) return undefined;
  }
}
