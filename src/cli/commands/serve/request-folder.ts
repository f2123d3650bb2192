import {mkdirSync, realpathSync} from 'node:fs';
import {dirname, isAbsolute, join, relative, resolve, sep} from 'node:path';
import {tryOr} from '../../../base/outcome.ts';
import {isFolder} from '../../../workspace/files/list-folder.ts';

/** Returns the folder of a request: by default, the folder of the server. Makes a missing folder that lies in one of `roots`. */
export const requestFolder = (
  workDir: string | undefined,
  roots: readonly string[] = [],
): {readonly path: string} | 'no-folder' => {
  if (workDir !== undefined && !(isAbsolute(workDir) && (isFolder(workDir) || makeWithin(workDir, roots))))
    return 'no-folder';
  return {path: workDir ?? process.cwd()};
};

function makeWithin(folder: string, roots: readonly string[]): boolean {
  const made = realPath(resolve(folder));
  if (!roots.some(root => isBelow(made, realPath(resolve(root))))) return false;
  return tryOr(() => {
    mkdirSync(folder, {recursive: true, mode: 0o700});
    return isFolder(folder);
  }, false);
}

/** Returns the path with its links resolved, as far as it exists. */
function realPath(path: string): string {
  const above = dirname(path);
  return tryOr(() => realpathSync(path), above === path ? path : join(realPath(above), relative(above, path)));
}

const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
