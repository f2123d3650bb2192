import {dirname, posix} from 'node:path';
import type {GlobRequest} from '../../actions/ports.ts';
import {compileGlob, hasWildcard, type PathTest} from '../../base/glob.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import {isFile, isFolder} from '../files/list-folder.ts';
import {missingFileText} from '../files/file-snapshot.ts';
import {invalidPathReason} from '../../base/invalid-path.ts';
import {expandHome, containsPath, type Paths} from '../files/resolve-path.ts';

/** One listing of the names below a folder. */
interface GlobWalk {
  /** Links resolved. */
  readonly folder: string;
  /** Levels below the folder; 0 means no bound. */
  readonly depth: number;
  /** Tested on the path relative to the folder; one of them must match. */
  readonly tests: readonly PathTest[];
}

/** The folder to which a request's patterns are relative: `base` is the request's path, resolved. */
interface PatternContext {
  readonly base: string;
  readonly home: string;
  readonly paths: Paths;
}

/**
 * Returns the folders to walk, one for each folder that a wanted pattern starts in. Without wanted patterns, walks everything below `base`.
 */
export function planWalks(request: GlobRequest, from: PatternContext): Outcome<readonly GlobWalk[], string> {
  const wanted = request.patterns.filter(pattern => !pattern.startsWith('!'));
  const starts = new Map<string, PathTest[]>();
  for (const pattern of wanted.length === 0 ? ['**'] : wanted) {
    const {folder, rest} = splitPattern(pattern, request.path, from);
    const test = compileGlob(rest);
    if (test.tag === 'failed') return test;
    if (kindOf(folder) === 'folder') starts.set(folder, [...(starts.get(folder) ?? []), test.value]);
  }
  const {maxDepth} = request;
  return ok(
    [...starts].flatMap(([folder, tests]): GlobWalk[] => {
      const below = containsPath(from.base, folder) ? posix.relative(from.base, folder) : '';
      const depth = maxDepth - (below === '' ? 0 : below.split('/').length);
      if (maxDepth === 0) return [{folder, depth: 0, tests}];
      return depth > 0 ? [{folder, depth, tests}] : [];
    }),
  );
}

/**
 * Splits a pattern into the folder that its leading plain parts name, and the rest, which never leaves that folder. The plain parts are
 * joined to the request's path as text and then resolved, as `FilesPort.resolve` does. So the walked folder is exactly the one that was
 * judged before.
 */
function splitPattern(
  pattern: string,
  path: string,
  from: PatternContext,
): {readonly folder: string; readonly rest: string} {
  const expanded = expandHome(pattern, from.home);
  if (!expanded.includes('/')) return {folder: from.base, rest: expanded};
  const parts = expanded.split('/');
  const firstGlob = parts.findIndex(hasWildcard);
  const plain = parts.slice(0, firstGlob < 0 ? parts.length - 1 : Math.min(firstGlob, parts.length - 1));
  const rest = `./${parts.slice(plain.length).join('/')}`;
  const inside = from.paths.resolve(`${path}/${plain.join('/')}`).path;
  return {folder: expanded.startsWith('/') ? absoluteFolder(plain.join('/'), inside, from) : inside, rest};
}

/**
 * Resolves a path with a leading slash. An absolute path below `base` stays. Otherwise the slash means the folder
 * searched in, as in ignore files, if that folder contains the path.
 */
function absoluteFolder(plain: string, inside: string, {base, paths}: PatternContext): string {
  if (plain === '') return base;
  const outside = paths.resolve(plain).path;
  if (containsPath(base, outside)) return outside;
  const isInside = containsPath(base, inside) && kindOf(inside) === 'folder';
  return isInside || dirname(outside) === outside ? inside : outside;
}

/** The starting point of a search: the real path, and its form for ripgrep. */
export interface SearchTarget {
  readonly kind: 'file' | 'folder';
  readonly real: string;
  readonly shown: string;
}

export async function resolveTarget(path: string, paths: Paths): Promise<Outcome<SearchTarget, Fault>> {
  const problem = invalidPathReason(path);
  if (problem !== undefined) return failed(rejected(problem));
  const real = paths.resolve(path).path;
  const kind = kindOf(real);
  const shown = paths.show(real);
  if (kind === 'neither') return failed(rejected(`${shown}: ${await missingFileText(real, paths.show)}`));
  return ok({kind, real, shown});
}

const kindOf = (path: string): 'file' | 'folder' | 'neither' =>
  isFolder(path) ? 'folder' : isFile(path) ? 'file' : 'neither';
