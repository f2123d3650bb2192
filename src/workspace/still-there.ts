import {lstatSync} from 'node:fs';
import {dirname} from 'node:path';
import {openRegular} from './files/open-regular.ts';
import {holds} from './files/resolve-path.ts';

/** Milliseconds by which the times of files may lag behind the clock. */
const clockTick = process.platform === 'linux' ? 20 : 1000;

/** A file beyond this size, in bytes, is not read a second time. */
const largestCompared = 16_000_000;

/** Answers of a search program whose places are checked once it has ended. */
export interface PlaceCheck {
  /** Whether what was found at a path can only be from there: no folder on the way to it changed since the search began. */
  isSure(real: string): boolean;
  /** Whether there is a regular file at the path, reached through no link. */
  isFile(real: string): Promise<boolean>;
  /** The lines of the text file at the path, reached through no link; `undefined` where there is none. */
  lines(real: string): Promise<readonly string[] | undefined>;
}

/**
 * A search program opens files by their paths, and a folder can become a link between two of its steps. To do so its parent must
 * change, and the times of folders tell that. To be made before the search begins; `roots` are resolved, and what lies above them
 * is taken as it is.
 */
export function checkPlaces(roots: readonly string[]): PlaceCheck {
  const begun = Date.now() - clockTick;
  const folders = new Map<string, boolean>();

  function isCalm(folder: string, root: string): boolean {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const stats = lstatSync(folder, {throwIfNoEntry: false});
    const calm =
      stats?.isDirectory() === true &&
      Math.max(stats.ctimeMs, stats.mtimeMs) < begun &&
      (folder === root || isCalm(dirname(folder), root));
    folders.set(folder, calm);
    return calm;
  }

  return {
    isSure(real) {
      const root = roots.find(each => holds(each, real)) ?? dirname(real);
      if (real === root) return true;
      try {
        return lstatSync(real).isSymbolicLink() ? false : isCalm(dirname(real), root);
      } catch {
        return false;
      }
    },
    async isFile(real) {
      const found = await openRegular(real);
      if (found.kind === 'file') await found.handle.close();
      return found.kind === 'file';
    },
    async lines(real) {
      const found = await openRegular(real);
      if (found.kind !== 'file') return undefined;
      try {
        if (found.stats.size > largestCompared) return undefined;
        return (await found.handle.readFile('utf8')).split('\n');
      } catch {
        return undefined;
      } finally {
        await found.handle.close();
      }
    },
  };
}
