import {dirname} from 'node:path';
import QuickLRU from 'quick-lru';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {expandHome, realPath, type Paths} from '../files/resolve-path.ts';
import {compileGlob, hasWildcard, type PathTest} from '../../base/glob.ts';

/** What no search may show. */
export interface Exclusions {
  /** Whether the file or folder at a resolved path, or a folder it lies in, is left out. */
  readonly leavesOut: (real: string) => boolean;
  /**
   * Options that spare ripgrep the way into what is left out, for a search that starts in `folder` (resolved). They make it
   * faster; what it finds is tested all the same. Being negative only they bring back nothing that ignore files leave out.
   */
  readonly options: (folder: string) => readonly string[];
}

/**
 * Reads globs as ignore files do. Without a slash one names files and folders at any depth, anywhere; one with a slash starts
 * at each workspace root (`./a` and `a/b`), one with a leading slash or `~/` at the root of the disk. A folder stands for all
 * that is in it.
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

  const fits = (real: string): boolean =>
    fromDisk.some(test => test(real.slice(1))) ||
    paths.roots.some(root => {
      const start = root.endsWith('/') ? root : `${root}/`;
      return real.startsWith(start) && fromRoots.some(test => test(real.slice(start.length)));
    });

  const folders = new QuickLRU<string, boolean>({maxSize: maxFolders});
  function leavesOutFolder(real: string): boolean {
    const known = folders.get(real);
    if (known !== undefined) return known;
    const answer = leavesOut(real);
    folders.set(real, answer);
    return answer;
  }
  const leavesOut = (real: string): boolean => {
    if (fits(real)) return true;
    const parent = dirname(real);
    return parent !== real && leavesOutFolder(parent);
  };

  return ok({
    leavesOut: real => globs.length > 0 && leavesOut(real),
    options: folder =>
      globs
        .filter(glob => isPlain(glob) && (!glob.includes('/') || folder === paths.root))
        .map(glob => `--glob=!${glob.replace(/^\.\//u, '/')}`),
  });
}

/** Folders whose answer is remembered: most paths of a search lie in few. */
const maxFolders = 10_000;

/** Whether ripgrep is sure to read the glob as we do, when it runs in the root. */
const isPlain = (glob: string): boolean => glob !== '' && !/^[!~#/]|[[\]{}\\]/u.test(glob);

/** The pattern with its leading plain parts as they are on the disk, links resolved. */
function withRealFolder(pattern: string): string {
  const parts = pattern.split('/');
  const firstGlob = parts.findIndex(hasWildcard);
  const plain = firstGlob < 0 ? parts : parts.slice(0, firstGlob);
  const real = realPath(plain.join('/') || '/').replace(/[*?[\]{}\\]/gu, '\\$&');
  return [real === '/' ? '' : real, ...parts.slice(plain.length)].join('/');
}
