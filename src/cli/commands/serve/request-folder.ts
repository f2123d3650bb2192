import {isAbsolute} from 'node:path';
import {isFolder} from '../../../workspace/files/list-folder.ts';

/** Returns the folder of a request: by default, the folder of the server. */
export const requestFolder = (workDir: string | undefined): {readonly path: string} | 'no-folder' => {
  if (workDir !== undefined && !(isAbsolute(workDir) && isFolder(workDir))) return 'no-folder';
  return {path: workDir ?? process.cwd()};
};
