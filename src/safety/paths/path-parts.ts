import type {ResolvedPath} from '../../domain/disk.ts';

/** The names a path consists of, from the root of the disk down. */
export type PathParts = readonly string[];

/** The parts of an absolute path; `.` and `..` are worked out by the letter, links are not followed. */
export function partsOf(absolute: string): PathParts {
  const parts: string[] = [];
  for (const part of absolute.split(isWindowsPath(absolute) ? /[\\/]/u : '/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}

export const isAbsolutePath = (path: string): boolean => path.startsWith('/') || isWindowsPath(path);

/** The absolute path of `parts`. */
export const pathOf = (parts: PathParts): string =>
  /^[A-Za-z]:$/u.test(parts[0] ?? '') ? parts.join('/') : `/${parts.join('/')}`;

/** The folder and those around it, the innermost first. */
export function foldersUpFrom(directory: string): readonly string[] {
  const parts = partsOf(directory);
  return Array.from({length: parts.length + 1}, (_, at) => pathOf(parts.slice(0, parts.length - at)));
}

/** The path from a folder on; an absolute one as it is. */
export const joinedPath = (folder: string, path: string): string => (isAbsolutePath(path) ? path : `${folder}/${path}`);

/** The parts of `path` below `folder`; empty for the folder itself, `undefined` when it does not lie in it. */
export const partsBelow = (folder: PathParts, path: PathParts): PathParts | undefined =>
  folder.every((part, at) => part === path[at]) ? path.slice(folder.length) : undefined;

const isWindowsPath = (path: string): boolean => /^(?:[A-Za-z]:[\\/]|\\\\)/u.test(path);

/** Whether names that differ in case alone may be one file; `exactly` also where that is not looked at. */
export type LetterCase = 'exactly' | 'folded';

/** How the file system of a folder compares names: where the folder's own name in the other case leads to it, without case. */
export function letterCaseOf(folder: string, resolve: (path: string) => ResolvedPath): LetterCase {
  const swapped = Array.from(folder, char =>
    char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase(),
  ).join('');
  if (swapped === folder) return 'exactly';
  return resolve(swapped).path === resolve(folder).path ? 'folded' : 'exactly';
}

/** The name as a file system without case compares it: composed and in one case. */
export const foldedName = (name: string): string => name.normalize('NFC').toLowerCase();

/** A word of a command, and the parts of it that may be paths. */
export function partsThatMayBePaths(written: string): readonly string[] {
  // A variable or a substitution is taken to lead to this folder.
  const word = written.replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/u, '~').replace(/^\$(?:\(\)|\w+|\{\w+\})(?=\/)/u, '.');
  const parts = word.split(/[=:@,]/u);
  const attached = /^-[A-Za-z]./u.test(word) ? [word.slice(2)] : [];
  return [word, ...(parts.length > 1 ? parts : []), ...attached].filter(part => part !== '' && !part.startsWith('-'));
}
