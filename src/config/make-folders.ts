import {mkdirSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {hasCode} from '../domain/fault.ts';

/**
 * Makes a folder for this user alone, and the missing folders above it. Node's own `recursive` never returns below an
 * existing folder that accepts no folders, such as /proc.
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
    // Another process may have made it in the meantime.
    if (statSync(path, {throwIfNoEntry: false})?.isDirectory() !== true) mkdirSync(path, {mode: 0o700});
  }
}
