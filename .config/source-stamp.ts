import {createHash} from 'node:crypto';
import {existsSync, globSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The build writes the stamp of its sources into it, as its last step. */
export const stampFile = fileURLToPath(new URL('../dist/.sources', import.meta.url));

/** A hash of everything that the build reads: contents, so that a checkout or a pull cannot make an old build look new. */
export function sourceStamp(): string {
  const hash = createHash('sha256');
  const files = ['src/**/*.{ts,tsx,proto,json}', '.config/*.{js,ts}', 'package.json', 'package-lock.json'];
  for (const path of globSync(files, {cwd: root}).toSorted()) {
    const bytes = readFileSync(`${root}/${path}`);
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** Whether `dist/` was built from the sources as they are now. */
export const isBuildFresh = (): boolean => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === sourceStamp();
