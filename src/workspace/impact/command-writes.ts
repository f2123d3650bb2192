import type {FileChange} from '../../domain/risk.ts';
import {unreachable} from '../../base/unreachable.ts';
import {entryNames, isFolder} from '../files/list-folder.ts';
import {basename, join, resolve} from 'node:path';
import {compileName, hasWildcard} from '../../base/glob.ts';
import {expandHome} from '../files/resolve-path.ts';
import {kindOf} from './deletion-impact.ts';

/** The maximum number of paths that one pattern may expand to. */
const maxPaths = 100_000;

/** Expands words to absolute paths as the shell would in `directory`. A pattern that matches nothing stays unchanged. */
export function expandPaths(
  words: readonly string[],
  {directory, home}: {readonly directory: string; readonly home: string},
): readonly string[] {
  // An empty word means an unknown path.
  return words
    .filter(word => word !== '')
    .flatMap(word => {
      const path = expandHome(word, home);
      if (!hasWildcard(path)) return [resolve(directory, path)];
      const found = expandGlob(path, directory);
      return found.length === 0 ? [resolve(directory, path)] : found;
    });
}

function expandGlob(pattern: string, directory: string): readonly string[] {
  let bases = [pattern.startsWith('/') ? '/' : directory];
  for (const part of pattern.split('/').filter(each => each !== '')) {
    if (!hasWildcard(part)) {
      bases = bases.map(base => join(base, part));
      continue;
    }
    const fits = compileName(part, {sets: 'exact', hidden: 'as in shells'});
    bases = bases.flatMap(base =>
      entryNames(base)
        .toSorted()
        .filter(fits)
        .map(name => join(base, name)),
    );
    if (bases.length > maxPaths) return bases.slice(0, maxPaths);
  }
  return bases;
}

export interface PathWrite {
  readonly path: string;
  /** `content`: the file gets new content, links followed. `entry`: the file or link itself is replaced. */
  readonly loses: 'content' | 'entry' | 'nothing';
  /** The file that `mv`, `cp` or `install` puts there, and whether a folder is merged into an existing one. */
  readonly placed: {readonly from: string; readonly folders: 'laid-over' | 'left-out'} | undefined;
}

/** Returns what changes write and replace on the disk, or `undefined` if that is unknown for one of them. */
export function writesOf(
  changes: readonly FileChange[] | undefined,
  base: {readonly directory: string; readonly home: string},
): readonly PathWrite[] | undefined {
  const writes: PathWrite[] = [];
  for (const change of changes ?? []) {
    const found = writesBy(change, base);
    if (found === undefined) return undefined;
    writes.push(...found);
  }
  return changes === undefined ? undefined : writes;
}

function writesBy(
  change: FileChange,
  base: {readonly directory: string; readonly home: string},
): readonly PathWrite[] | undefined {
  const paths = expandPaths([change.word], base);
  const at = (loses: PathWrite['loses']): readonly PathWrite[] => paths.map(path => ({path, loses, placed: undefined}));
  switch (change.does) {
    case 'creates':
    case 'renames':
      return at('nothing');
    case 'writes':
    case 'truncates':
      return at('content');
    case 'moves':
    case 'copies':
    case 'links': {
      const {does, word, into, folders} = change;
      const [target = ''] = expandPaths([change.target], base);
      const isInside = into !== 'never' && (into === 'a folder' ? isFolder(target) : kindOf(target) === 'folder');
      return paths.map(from => ({
        path: isInside ? join(target, /(?:^|\/)\.$/u.test(word) ? '' : basename(from)) : target,
        loses: 'entry',
        placed: does === 'links' ? undefined : {from, folders},
      }));
    }
    case 'edits':
    case 'shreds':
    case 'removes':
      return undefined;
    default:
      return unreachable(change);
  }
}
