import {isAbsolute} from 'node:path';
import {isFolder} from '../../../workspace/files/list-folder.ts';

/** The folder that a request is about: the server's where it names none. */
export const requestFolder = (workDir: string | undefined): {readonly path: string} | 'no-folder' => {
  if (workDir !== undefined && !(isAbsolute(workDir) && isFolder(workDir))) return 'no-folder';
  return {path: workDir ?? process.cwd()};
};
