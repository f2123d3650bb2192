import {execFileSync} from 'node:child_process';
import {rmSync} from 'node:fs';
import {hasCode} from '../../src/domain/fault.ts';

/** Removes a folder, and whatever tests made inaccessible in it, which only root can remove as it is. */
export function removeFolder(path: string): void {
  const remove = (): void => rmSync(path, {recursive: true, force: true, maxRetries: 3});
  try {
    remove();
  } catch (cause) {
    if (!hasCode(cause, 'EACCES')) throw cause;
    execFileSync('chmod', ['-R', 'u+rwX', '--', path]);
    remove();
  }
}
