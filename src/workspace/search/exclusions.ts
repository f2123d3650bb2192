import {dirname} from 'node:path';
import QuickLRU from 'quick-lru';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {expandHome, realPath, type Paths} from '../files/resolve-path.ts';
import {compileGlob, hasWildcard, type PathTest} from '../../base/glob.ts';

/** Files and folders that no search may show. */
export interface Exclusions {
  /** True if the file or folder at a resolved path, or a folder above it, is excluded. */
  readonly isExcluded: (real: string) => boolean;
  /**
   * Returns ripgrep options that skip excluded files, for a search that starts in `folder` (resolved). The options only
   * make the search faster: every result is tested anyway. All are negative, so they never bring back what ignore files
   * leave out.
   */
  readonly ripgrepOptions: (folder: string) => readonly string[];
}

/**
 * Reads globs as ignore files do. Without a slash, a glob matches files and folders at any depth. With a slash, it
 * starts at each workspace root (`./a` and `a/b`). With a leading slash or `~/`, it starts at the root of the disk. A
 * folder means everything in it.
 */
export function readExclusions(
  globs: readonly string[],
  {paths, home}: {readonly paths: Paths; readonly home: string},
): Outcome<Exclusions, string> {
  const fromRoots: PathTest[] = [];
  const fromDisk: PathTest[] = [];
  for (const glob of globs) {
    const pattern = expandHome(glob, home).replace(/(?<=.)\/+$/u, '');
    const isAbsolute = pattern.startsWith('/');
    for (const each of isAbsolute ? [pattern, withRealFolder(pattern)] : [pattern]) {
      const test = compileGlob(each);
      if (test.tag === 'failed') return failed(test.error);
      if (isAbsolute || !each.includes('/')) fromDisk.push(test.value);
      else fromRoots.push(test.value);
    }
  }

  const matches = (real: string): boolean =>
    fromDisk.some(test => test(real.slice(1))) ||
    paths.roots.some(root => {
      const start = root.endsWith('/') ? root : `${root}/`;
      return real.startsWith(start) && fromRoots.some(test => test(real.slice(start.length)));
    });

  const folders = new QuickLRU<string, boolean>({maxSize: maxFolders});
  function excludesFolder(real: string): boolean {
    const known = folders.get(real);
    if (known !== undefined) return known;
    const answer = excludes(real);
    folders.set(real, answer);
    return answer;
  }
  const excludes = (real: string): boolean => {
    if (matches(real)) return true;
    const parent = dirname(real);
    return parent !== real && excludesFolder(parent);
  };

  return ok({
    isExcluded: real => globs.length > 0 && excludes(real),
    ripgrepOptions: folder =>
      globs
        .filter(glob => isPlainGlob(glob) && (!glob.includes('/') || folder === paths.root))
        .map(glob => `--glob=!${glob.replace(/^\.\//u, '/')}`),
  });
}

/** The number of folders whose answer is remembered: most paths of a search are in few folders. */
const maxFolders = 10_000;

/** True if ripgrep, run in the root, certainly reads the glob as weft does. */
const isPlainGlob = (glob: string): boolean => glob !== '' && !/^[!~#/]|[[\]{}\\]/u.test(glob);

/** Returns the pattern with the links in its leading plain parts resolved. */
function withRealFolder(pattern: string): string {
  const parts = pattern.split('/');
  const firstGlob = parts.findIndex(hasWildcard);
  const plain = firstGlob < 0 ? parts : parts.slice(0, firstGlob);
  const real = realPath(plain.join('/') || '/').replace(/[*?[\]{}\\]/gu, '\\$&');
  return [real === '/' ? '' : real, ...parts.slice(plain.length)].join('/');
}
