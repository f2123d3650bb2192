import type {ResolvedPath} from '../actions/files-port.ts';

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
