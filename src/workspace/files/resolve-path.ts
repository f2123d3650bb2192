import {lstatSync, readlinkSync, realpathSync} from 'node:fs';
import {dirname, basename, isAbsolute, join, relative, resolve, sep} from 'node:path';
import {tryOr} from '../../base/outcome.ts';
import type {ResolvedPath} from '../../domain/disk.ts';
import {clip} from '../../base/clip.ts';
import {longestPath} from '../../base/invalid-path.ts';
import type {JudgedPath} from '../../domain/obligation.ts';

/** How paths are read and shown in one workspace. */
export interface Paths {
  readonly resolve: (path: string) => ResolvedPath;
  /** A resolved path for people and models: relative to the workspace root if it lies inside, else absolute. */
  readonly show: (real: string) => string;
  /** The workspace root, resolved. */
  readonly root: string;
  /** All roots, resolved. */
  readonly roots: readonly string[];
}

/** Links that are followed one after the other; a path with more counts as missing. */
const maxLinks = 40;

/** The first of `roots` is the workspace root, where relative paths start; all of them count as inside. */
export function makePaths(options: {readonly roots: readonly string[]; readonly home: string}): Paths {
  let resolvedRoots: readonly string[] | undefined;
  const roots = (): readonly string[] => (resolvedRoots ??= options.roots.map(root => realPath(resolve(root))));
  const first = (): string => roots()[0] ?? resolve('.');

  return {
    get root() {
      return first();
    },
    get roots() {
      return roots();
    },
    resolve(path) {
      // Every user of a path refuses this one (see `whyInvalidPath`), so the disk need not be asked.
      if (path.length > longestPath) return {path: clip(path, longestPath), place: 'outside-workspace'};
      const real = realPath(resolve(first(), expandHome(path, options.home)));
      return {path: real, place: roots().some(root => holds(root, real)) ? 'inside-workspace' : 'outside-workspace'};
    },
    show(real) {
      const shown = holds(first(), real) ? relative(first(), real) : real;
      return shown === '' ? '.' : shown;
    },
  };
}

/** The same, but these paths lead where they led when they were judged. */
export function limitToJudgedPaths(paths: Paths, judged: readonly JudgedPath[]): Paths {
  const known = new Map(judged.map(({written, path, place}) => [written, {path, place}]));
  return {...paths, resolve: path => known.get(path) ?? paths.resolve(path)};
}

/** Whether `path` is `folder` or lies below it; both resolved. */
export function holds(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** `~` and `~/…` mean the user's home folder. */
export function expandHome(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}

/**
 * Follows the links of the longest part of `path` that exists, in the case the disk has. A link whose target is missing is
 * followed too: what is written through it lands there.
 */
export function realPath(path: string): string {
  /** The parts of the path below `at` that do not exist, the innermost first. */
  const missing: string[] = [];
  let links = 0;
  for (let at = path; ;) {
    const real = existing(at);
    const parent = dirname(at);
    if (real !== undefined || parent === at) return join(real ?? at, ...missing.toReversed());
    const target = links < maxLinks ? linkTarget(at) : undefined;
    if (target === undefined) {
      missing.push(basename(at));
      at = parent;
    } else {
      links += 1;
      at = resolve(existing(parent) ?? parent, target);
    }
  }
}

const existing = (path: string): string | undefined => tryOr(() => realpathSync.native(path), undefined);

const linkTarget = (path: string): string | undefined =>
  tryOr(() => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined), undefined);
