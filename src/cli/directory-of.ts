import {statSync} from 'node:fs';
import {resolve} from 'node:path';
import {UsageError} from './usage-error.ts';

/** The absolute path of a folder that was named on the command line. */
export function directoryOf(path: string): string {
  const directory = resolve(path);
  if (!statSync(directory, {throwIfNoEntry: false})?.isDirectory()) {
    throw new UsageError(`${directory} is not a folder.`);
  }
  return directory;
}
