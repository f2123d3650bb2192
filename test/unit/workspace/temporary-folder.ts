import {mkdtempSync, realpathSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {removeFolder} from '../../support/remove-folder.ts';

/** A new empty folder, removed at the end of its scope. */
export function temporaryFolder(): {readonly path: string} & Disposable {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'weft-test-')));
  return {path, [Symbol.dispose]: () => removeFolder(path)};
}

export const never = new AbortController().signal;
