import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {openStore, type Store} from '../../../src/store/open-store.ts';

/** A folder of its own for a database; gone when it goes out of scope. */
export function temporaryFile(): Disposable & {readonly file: string} {
  const folder = mkdtempSync(join(tmpdir(), 'weft-store-'));
  return {
    file: join(folder, 'data', 'weft.db'),
    [Symbol.dispose]: () => {
      rmSync(folder, {recursive: true, force: true});
    },
  };
}

/** A store whose clock ticks once at every look and whose ids are `uuid(1)`, `uuid(2)`, … */
export function countingStore(file: string): Store {
  let ticks = 0;
  let ids = 0;
  const opened = openStore({
    file,
    clock: {now: () => (ticks += 1)},
    uuid: () => uuid((ids += 1)),
    process: {pid: process.pid},
  });
  if (opened.tag === 'failed') throw new Error(opened.error.message);
  return opened.value;
}

export const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
