import {readdir} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {editDistance} from '../../base/nearest-name.ts';
import {realPath} from './resolve-path.ts';

/** Names compared before giving up: a folder of a hundred thousand files is not worth the wait. */
const mostNames = 5000;

/** Up to three entries of the same folder whose names are closest to that of `path`, which does not exist. */
export async function nearestNames(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const wanted = basename(path).toLowerCase();
  const names = realPath(folder) === folder ? await readdir(folder).catch(() => []) : [];
  return names
    .slice(0, mostNames)
    .map(name => ({name, far: distance(wanted, name.toLowerCase())}))
    .filter(({name, far}) => far <= Math.max(2, Math.floor(Math.min(wanted.length, name.length) / 2)))
    .toSorted((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({name}) => join(folder, name));
}

/** How far two names are apart; another ending on the same stem is near. */
const distance = (a: string, b: string): number =>
  a !== b && stem(a) !== '' && stem(a) === stem(b) ? 1 : editDistance(a, b);

const stem = (name: string): string => name.replace(/\.[^.]*$/u, '');
