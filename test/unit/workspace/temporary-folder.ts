import {mkdtempSync, realpathSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** A new empty folder, removed at the end of its scope. */
export function temporaryFolder(): {readonly path: string} & Disposable {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'weft-test-')));
  return {path, [Symbol.dispose]: () => rmSync(path, {recursive: true, force: true})};
}

export const never = new AbortController().signal;
