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

/** The parts of `path` below `folder`; empty for the folder itself, `undefined` when it does not lie in it. */
export const partsBelow = (folder: PathParts, path: PathParts): PathParts | undefined =>
  folder.every((part, at) => part === path[at]) ? path.slice(folder.length) : undefined;

const isWindowsPath = (path: string): boolean => /^(?:[A-Za-z]:[\\/]|\\\\)/u.test(path);
