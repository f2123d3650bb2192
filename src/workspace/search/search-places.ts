import {dirname, posix} from 'node:path';
import type {GlobRequest} from '../../actions/ports.ts';
import {compileGlob, hasWildcard, type PathTest} from '../../base/glob.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import {isFile, isFolder} from '../files/list-folder.ts';
import {missingFileText} from '../files/file-snapshot.ts';
import {whyInvalidPath} from '../../base/invalid-path.ts';
import {expandHome, holds, type Paths} from '../files/resolve-path.ts';

/** One run over the names below a folder. */
interface GlobWalk {
  /** Resolved. */
  readonly folder: string;
  /** Levels below the folder; 0 means no bound. */
  readonly depth: number;
  /** Each on the path relative to the folder; one of them must hold. */
  readonly tests: readonly PathTest[];
}

/** How the patterns of a request are meant: `base` is its path, resolved. */
interface Origin {
  readonly base: string;
  readonly home: string;
  readonly paths: Paths;
}

/** The folders to walk, one for each place the wanted patterns start at; all below `base` when there are none. */
export function planWalks(request: GlobRequest, from: Origin): Outcome<readonly GlobWalk[], string> {
  const wanted = request.patterns.filter(pattern => !pattern.startsWith('!'));
  const starts = new Map<string, PathTest[]>();
  for (const pattern of wanted.length === 0 ? ['**'] : wanted) {
    const {folder, rest} = anchor(pattern, request.path, from);
    const test = compileGlob(rest);
    if (test.tag === 'failed') return test;
    if (kindOf(folder) === 'folder') starts.set(folder, [...(starts.get(folder) ?? []), test.value]);
  }
  const {maxDepth} = request;
  return ok(
    [...starts].flatMap(([folder, tests]): GlobWalk[] => {
      const below = holds(from.base, folder) ? posix.relative(from.base, folder) : '';
      const depth = maxDepth - (below === '' ? 0 : below.split('/').length);
      if (maxDepth === 0) return [{folder, depth: 0, tests}];
      return depth > 0 ? [{folder, depth, tests}] : [];
    }),
  );
}

/**
 * Splits a pattern into the folder its leading plain parts name and the rest, which never leads out of that folder. The plain
 * parts are joined to the request's path as text and then resolved, as `FilesPort.resolve` does it: the folder that is walked
 * is the very one that could be judged before.
 */
function anchor(pattern: string, path: string, from: Origin): {readonly folder: string; readonly rest: string} {
  const expanded = expandHome(pattern, from.home);
  if (!expanded.includes('/')) return {folder: from.base, rest: expanded};
  const parts = expanded.split('/');
  const firstGlob = parts.findIndex(hasWildcard);
  const plain = parts.slice(0, firstGlob < 0 ? parts.length - 1 : Math.min(firstGlob, parts.length - 1));
  const rest = `./${parts.slice(plain.length).join('/')}`;
  const inside = from.paths.resolve(`${path}/${plain.join('/')}`).path;
  return {folder: expanded.startsWith('/') ? absoluteFolder(plain.join('/'), inside, from) : inside, rest};
}

/** A leading slash means the folder searched in, as in ignore files, unless there is no such folder in it. */
function absoluteFolder(plain: string, inside: string, {base, paths}: Origin): string {
  if (plain === '') return base;
  const outside = paths.resolve(plain).path;
  if (holds(base, outside)) return outside;
  const isInside = holds(base, inside) && kindOf(inside) === 'folder';
  return isInside || dirname(outside) === outside ? inside : outside;
}

/** Where a search starts: the real path, and the form in which ripgrep is given it. */
export interface SearchPlace {
  readonly kind: 'file' | 'folder';
  readonly real: string;
  readonly shown: string;
}

export async function findPlace(path: string, paths: Paths): Promise<Outcome<SearchPlace, Fault>> {
  const trouble = whyInvalidPath(path);
  if (trouble !== undefined) return failed(rejected(trouble));
  const real = paths.resolve(path).path;
  const kind = kindOf(real);
  const shown = paths.show(real);
  if (kind === 'neither') return failed(rejected(`${shown}: ${await missingFileText(real, paths.show)}`));
  return ok({kind, real, shown});
}

const kindOf = (path: string): 'file' | 'folder' | 'neither' =>
  isFolder(path) ? 'folder' : isFile(path) ? 'file' : 'neither';
