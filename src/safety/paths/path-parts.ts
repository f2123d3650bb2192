import type {ResolvedPath} from '../../domain/disk.ts';

/** The names in a path, from the root of the disk down. */
export type PathParts = readonly string[];

/** Splits an absolute path. `.` and `..` are resolved textually. Links are not followed. */
export function partsOf(absolute: string): PathParts {
  const parts: string[] = [];
  for (const part of absolute.split(isWindowsPath(absolute) ? /[\\/]/u : '/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}

export const isAbsolutePath = (path: string): boolean => path.startsWith('/') || isWindowsPath(path);

/** Returns the absolute path of `parts`. */
export const pathOf = (parts: PathParts): string =>
  /^[A-Za-z]:$/u.test(parts[0] ?? '') ? parts.join('/') : `/${parts.join('/')}`;

/** Returns the folder and its parent folders, the innermost first. */
export function foldersUpFrom(directory: string): readonly string[] {
  const parts = partsOf(directory);
  return Array.from({length: parts.length + 1}, (_, at) => pathOf(parts.slice(0, parts.length - at)));
}

/** Returns the path relative to a folder, or the path itself if it is absolute. */
export const joinPath = (folder: string, path: string): string => (isAbsolutePath(path) ? path : `${folder}/${path}`);

/** True for a path that is the same in every folder: `/a`, `~/a`, `~me/a`. */
export const isAnchored = (path: string): boolean => isAbsolutePath(path) || path.startsWith('~');

/** Returns the path relative to a folder, or the path itself if it is the same in every folder. */
export const pathFrom = (folder: string, path: string): string => (isAnchored(path) ? path : `${folder}/${path}`);

/** True for the folder and everything below it. Both are absolute, with links followed. */
export const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Returns the parts of `path` below `folder`: empty for the folder itself, `undefined` if `path` is outside it. */
export const partsBelow = (folder: PathParts, path: PathParts): PathParts | undefined =>
  folder.every((part, at) => part === path[at]) ? path.slice(folder.length) : undefined;

const isWindowsPath = (path: string): boolean => /^(?:[A-Za-z]:[\\/]|\\\\)/u.test(path);

/**
 * How names are compared. `folded`: names that differ only in case may be one file. `exactly`: they are different files, or the
 * file system was not checked.
 */
export type LetterCase = 'exactly' | 'folded';

/**
 * Returns how a folder's file system compares names. It ignores case if the folder's name in the opposite case leads to the same
 * folder.
 */
export function letterCaseOf(folder: string, resolve: (path: string) => ResolvedPath): LetterCase {
  const swapped = Array.from(folder, char =>
    char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase(),
  ).join('');
  if (swapped === folder) return 'exactly';
  return resolve(swapped).path === resolve(folder).path ? 'folded' : 'exactly';
}

/** Returns the name as a case-insensitive file system compares it: composed (NFC) and in lower case. */
export const foldedName = (name: string): string => name.normalize('NFC').toLowerCase();

/** Returns a word of a command and the parts of it that may be paths. */
export function partsThatMayBePaths(written: string): readonly string[] {
  // Any variable or substitution other than HOME counts as the current folder.
  const word = written.replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/u, '~').replace(/^\$(?:\(\)|\w+|\{\w+\})(?=\/)/u, '.');
  const parts = word.split(/[=:@,]/u);
  const attached = /^-[A-Za-z]./u.test(word) ? [word.slice(2)] : [];
  return [word, ...(parts.length > 1 ? parts : []), ...attached].filter(part => part !== '' && !part.startsWith('-'));
}
