import {mkdirSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {hasCode} from '../domain/fault.ts';

/**
 * Makes a folder, for this user alone, and those above it that are missing. Node's own `recursive` never ends below a folder that
 * takes none though it is there, as /proc.
 */
export function makeFolders(path: string): void {
  try {
    mkdirSync(path, {mode: 0o700});
  } catch (cause) {
    if (statSync(path, {throwIfNoEntry: false})?.isDirectory() === true) return;
    const above = dirname(path);
    if (!hasCode(cause, 'ENOENT') || above === path || statSync(above, {throwIfNoEntry: false}) !== undefined)
      throw cause;
    makeFolders(above);
    // Somebody else may have made it meanwhile.
    if (statSync(path, {throwIfNoEntry: false})?.isDirectory() !== true) mkdirSync(path, {mode: 0o700});
  }
}
