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
  /** Returns a resolved path for people and models: relative to the workspace root if it is inside, or else absolute. */
  readonly show: (real: string) => string;
  /** The workspace root, links resolved. */
  readonly root: string;
  /** All roots, links resolved. */
  readonly roots: readonly string[];
}

/** The maximum number of links to follow one after the other; a path with more counts as missing. */
const maxLinks = 40;

/** Relative paths start at the first of `roots`, the workspace root; all roots count as inside. */
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
      // Every caller refuses this path (see `invalidPathReason`), so the disk need not be read.
      if (path.length > longestPath) return {path: clip(path, longestPath), place: 'outside-workspace'};
      const real = realPath(resolve(first(), expandHome(path, options.home)));
      return {
        path: real,
        place: roots().some(root => containsPath(root, real)) ? 'inside-workspace' : 'outside-workspace',
      };
    },
    show(real) {
      const shown = containsPath(first(), real) ? relative(first(), real) : real;
      return shown === '' ? '.' : shown;
    },
  };
}

/** Returns the same paths, with each judged path fixed to the target that the judge saw. */
export function limitToJudgedPaths(paths: Paths, judged: readonly JudgedPath[]): Paths {
  const known = new Map(judged.map(({written, path, place}) => [written, {path, place}]));
  return {...paths, resolve: path => known.get(path) ?? paths.resolve(path)};
}

/** True if `path` is `folder` or below it; both must be resolved. */
export function containsPath(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
}

/** Returns the resolved paths without repeated ones and those inside another one. */
export function outermost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  const isInsideOther = (path: string): boolean => {
    const folder = dirname(path);
    return folder !== path && (all.has(folder) || isInsideOther(folder));
  };
  return [...all].filter(path => !isInsideOther(path));
}

/** Expands `~` and `~/…` to the user's home folder. */
export function expandHome(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}

/**
 * Resolves the links in the longest existing part of `path`, in the case the disk has. A link to a missing target is followed too, because
 * a write would land there.
 */
export function realPath(path: string): string {
  /** The parts of the path below `at` that don't exist, innermost first. */
  const missing: string[] = [];
  let links = 0;
  for (let at = path; ;) {
    const real = realPathIfAny(at);
    const parent = dirname(at);
    if (real !== undefined || parent === at) return join(real ?? at, ...missing.toReversed());
    const target = links < maxLinks ? linkTarget(at) : undefined;
    if (target === undefined) {
      missing.push(basename(at));
      at = parent;
    } else {
      links += 1;
      at = resolve(realPathIfAny(parent) ?? parent, target);
    }
  }
}

const realPathIfAny = (path: string): string | undefined => tryOr(() => realpathSync.native(path), undefined);

const linkTarget = (path: string): string | undefined =>
  tryOr(() => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined), undefined);
