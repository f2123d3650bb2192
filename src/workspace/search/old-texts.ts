import {lstat, readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';

/** Bounds of the search, which runs while somebody waits for a question. */
const maxFiles = 5000;
const largestFile = 1_000_000;
/** The times of files may lag behind the clock by this many milliseconds. */
const clockStep = 20;
const notOwn = new Set([
  '.git',
  'node_modules',
  'bower_components',
  'site-packages',
  '.venv',
  'venv',
  'vendor',
  'third_party',
]);

/**
 * Returns the texts of the files below the folders that contain a word and have not changed since `before`. The time is that of the
 * file's state, which no program can set back. Installed packages do not count.
 */
export async function oldTexts(
  word: string,
  {roots, before}: {readonly roots: readonly string[]; readonly before: number},
): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [...roots];
  let files = 0;
  for (let folder = folders.shift(); folder !== undefined && files < maxFiles; folder = folders.shift()) {
    const entries = await readdir(folder, {withFileTypes: true}).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !notOwn.has(entry.name)) folders.push(path);
      if (!entry.isFile()) continue;
      files += 1;
      const stats = await lstat(path).catch(() => undefined);
      if (stats === undefined || stats.ctimeMs >= before - clockStep || stats.size > largestFile) continue;
      const bytes = await readFile(path).catch(() => undefined);
      if (bytes?.includes(word) === true) found.push(bytes.toString());
    }
  }
  return found;
}
