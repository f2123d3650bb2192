import {statSync} from 'node:fs';
import {isAbsolute} from 'node:path';

/** The folder that a request is about: the server's where it names none. */
export const requestFolder = (workDir: string | undefined): {readonly path: string} | 'no-folder' => {
  if (workDir !== undefined && !isAbsoluteFolder(workDir)) return 'no-folder';
  return {path: workDir ?? process.cwd()};
};

const isAbsoluteFolder = (path: string): boolean =>
  isAbsolute(path) && statSync(path, {throwIfNoEntry: false})?.isDirectory() === true;
