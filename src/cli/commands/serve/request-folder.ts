import {mkdirSync} from 'node:fs';
import {isAbsolute, resolve} from 'node:path';
import {tryOr} from '../../../base/outcome.ts';
import {isFolder} from '../../../workspace/files/list-folder.ts';
import {containsPath, realPath} from '../../../workspace/files/resolve-path.ts';

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
  const path = resolve(folder);
  if (!roots.some(root => containsPath(realPath(resolve(root)), realPath(path)))) return false;
  return tryOr(() => {
    mkdirSync(path, {recursive: true, mode: 0o700});
    return isFolder(folder);
  }, false);
}
