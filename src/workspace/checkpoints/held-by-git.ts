import {closeSync, constants, fstatSync, openSync, readFileSync, type Stats} from 'node:fs';
import {blobOf, gitName, isGitName} from './git-blobs.ts';
import {looksAsIndexed, type GitIndex} from './tracked-files.ts';

/** The name of the content where git holds the same; `last` is the name it had before, if any. */
export function heldByGit(
  path: string,
  stats: Stats,
  {index, last}: {readonly index: GitIndex | undefined; readonly last: string | undefined},
): string | undefined {
  const file = index?.file(path);
  if (file !== undefined && index?.contents === 'as-held' && looksAsIndexed(file, stats)) return gitName(file);
  const names = [file === undefined ? '' : gitName(file), last ?? ''].filter(isGitName);
  if (!names.some(name => name.endsWith(`:${stats.size}`)) || stats.size > mostCompared) return undefined;
  const bytes = wholeFile(path);
  const name = bytes === undefined ? '' : gitName({blob: blobOf(bytes), size: bytes.length});
  return names.includes(name) ? name : undefined;
}

/** Bytes beyond which a file is not read only to find out that git has it. */
const mostCompared = 16 * 1024 * 1024;

function wholeFile(path: string): Buffer | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    return fstatSync(handle).isFile() ? readFileSync(handle) : undefined;
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
