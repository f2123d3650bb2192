import {lstatSync, readlinkSync, realpathSync} from 'node:fs';
import {dirname, basename, isAbsolute, join, relative, resolve, sep} from 'node:path';
import type {ResolvedPath} from '../../actions/ports.ts';

/** How paths are read and shown in one workspace. */
export interface Paths {
  /** See `FilesPort.resolve`. */
  readonly resolve: (path: string) => ResolvedPath;
  /** A resolved path as people and models see it: relative to the workspace root where it lies inside, else as it is. */
  readonly show: (real: string) => string;
  /** The workspace root, resolved. */
  readonly root: string;
}

/** Links followed one after the other before a path counts as one that leads nowhere. */
const mostLinks = 40;

/** The first of `roots` is the workspace root, where relative paths start; all of them count as inside. */
export function makePaths(options: {readonly roots: readonly string[]; readonly home: string}): Paths {
  let resolvedRoots: readonly string[] | undefined;
  const roots = (): readonly string[] => (resolvedRoots ??= options.roots.map(root => realPath(resolve(root))));
  const first = (): string => roots()[0] ?? resolve('.');

  return {
    get root() {
      return first();
    },
    resolve(path) {
      const real = realPath(resolve(first(), expandHome(path, options.home)));
      return {path: real, place: roots().some(root => holds(root, real)) ? 'inside-workspace' : 'outside-workspace'};
    },
    show(real) {
      const shown = holds(first(), real) ? relative(first(), real) : real;
      return shown === '' ? '.' : shown;
    },
  };
}

/** Whether `path` is `folder` or lies below it; both resolved. */
export function holds(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function expandHome(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}

/**
 * Follows the links of the longest part of `path` that exists, in the case the disk has. A link whose target is missing is
 * followed too: what is written through it lands there.
 */
function realPath(path: string, links = 0): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const place = realPath(parent, links);
    const target = links < mostLinks ? linkTarget(path) : undefined;
    return target === undefined ? join(place, basename(path)) : realPath(resolve(place, target), links + 1);
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
