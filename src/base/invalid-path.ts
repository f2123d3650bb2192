import {clip} from './clip.ts';

/** The maximum number of characters of a path. No system accepts a longer path. */
export const longestPath = 4096;

/** The maximum number of bytes of one name in a path. */
const longestName = 255;

/** Returns why the text `path` cannot be a path; `undefined` if it can. */
export function invalidPathReason(path: string): string | undefined {
  if (path.includes('\0')) return 'A path cannot hold a NUL character.';
  const shown = clip(path, 60);
  if (path.length > longestPath)
    return `The path ${shown} is too long: it is ${path.length} characters long; at most ${longestPath} are possible.`;
  const most = Math.max(...path.split('/').map(name => new TextEncoder().encode(name).length));
  return most > longestName
    ? `The path ${shown} is too long: a name in it has ${most} bytes of at most ${longestName}.`
    : undefined;
}
