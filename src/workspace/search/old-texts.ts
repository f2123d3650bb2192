import {lstat, readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';

/** Bounds of the search, which runs while somebody waits for a question. */
const maxFiles = 20_000;
const largestFile = 1_000_000;
/** The times of files may lag behind the clock by this many milliseconds. */
const clockStep = 20;
const notOwn = new Set('.git node_modules bower_components site-packages .venv venv vendor third_party'.split(' '));

/** A file, and when its state changed, in milliseconds since the epoch. No program can set that time back. */
interface SeenFile {
  readonly path: string;
  readonly changedAt: number;
}

/** Walks the files below the folders, without installed packages. */
async function* filesBelow(roots: readonly string[]): AsyncGenerator<SeenFile> {
  const folders = [...roots];
  let files = 0;
  for (let folder = folders.shift(); folder !== undefined && files < maxFiles; folder = folders.shift()) {
    const entries = await readdir(folder, {withFileTypes: true}).catch(() => []);
    folders.push(
      ...entries.flatMap(each => (each.isDirectory() && !notOwn.has(each.name) ? [join(folder, each.name)] : [])),
    );
    const paths = entries.flatMap(each => (each.isFile() ? [join(folder, each.name)] : []));
    files += paths.length;
    const stats = await Promise.all(paths.map(path => lstat(path).catch(() => undefined)));
    for (const [at, path] of paths.entries()) {
      const {ctimeMs, size} = stats[at] ?? {ctimeMs: 0, size: Infinity};
      if (size <= largestFile) yield {path, changedAt: ctimeMs};
    }
  }
}

/** Returns the texts of the files below the folders that contain a word and have not changed since `before`. */
export async function oldTexts(
  word: string,
  {roots, before}: {readonly roots: readonly string[]; readonly before: number},
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const {path, changedAt} of filesBelow(roots)) {
    if (changedAt >= before - clockStep) continue;
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes?.includes(word) === true) found.push(bytes.toString());
  }
  return found;
}

/** Returns the files below the folders that have changed since `since`. */
export async function changedFiles(roots: readonly string[], since: number): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const {path, changedAt} of filesBelow(roots)) if (changedAt >= since - clockStep) found.push(path);
  return found;
}
