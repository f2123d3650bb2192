import {readdir} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';

/** Names compared before giving up: a folder of a hundred thousand files is not worth the wait. */
const mostNames = 5000;

/** Up to three entries of the same folder whose names are closest to that of `path`, which does not exist. */
export async function nearestNames(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const wanted = basename(path).toLowerCase();
  const names = await readdir(folder).catch(() => []);
  return names
    .slice(0, mostNames)
    .map(name => ({name, far: distance(wanted, name.toLowerCase())}))
    .filter(({name, far}) => far <= Math.max(2, Math.floor(Math.min(wanted.length, name.length) / 2)))
    .toSorted((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({name}) => join(folder, name));
}

/** Levenshtein distance; another ending on the same stem is near. */
function distance(a: string, b: string): number {
  if (stem(a) !== '' && stem(a) === stem(b)) return a === b ? 0 : 1;
  let row = Array.from({length: b.length + 1}, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const stem = (name: string): string => name.replace(/\.[^.]*$/u, '');
